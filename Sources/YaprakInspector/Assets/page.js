// Puts another page of the server into the place of this one. What the server says is what is shown; rows that are on both
// glide from where they were to where they are.
const parser = new DOMParser();
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
let isBusy = false;
let waiting = null;

/// Shows an address; while one is being loaded, only the last of those that were asked for meanwhile comes next.
export async function show(address, options = {}) {
  if (isBusy) {
    if (!(options.isLive && waiting)) waiting = [address, options];
    return;
  }
  isBusy = true;
  document.documentElement.dataset.loading = "1";
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    const page = parser.parseFromString(await response.text(), "text/html");
    if (!page.getElementById("main")) throw new Error(`answer ${response.status}`);
    put(page);
    const target = new URL(address, location.href).href;
    if (options.isNew && target !== location.href) history.pushState(null, "", target);
    else if (!options.isLive) history.replaceState(null, "", target);
  } catch (error) {
    document.getElementById("connection").textContent = `not loaded: ${error.message}`;
  } finally {
    isBusy = false;
    delete document.documentElement.dataset.loading;
    const next = waiting;
    waiting = null;
    if (next) show(...next);
    else awaitPending();
  }
}

/// Shows an address of the browser's own history.
export function showAgain(address) { show(address, { isLive: true }); }

function put(page) {
  const main = document.getElementById("main");
  const before = places(main);
  const open = openState(main);
  const focus = focusPath();
  main.replaceChildren(...page.getElementById("main").childNodes);
  restoreOpen(main, open);
  document.title = page.title;
  for (const name of ["commit", "follows"]) {
    if (page.body.dataset[name] === undefined) delete document.body.dataset[name];
    else document.body.dataset[name] = page.body.dataset[name];
  }
  document.querySelector("header nav").replaceChildren(...page.querySelector("header nav").childNodes);
  putScrubber(page);
  refocus(focus);
  if (!reduced.matches) glide(main, before);
  document.dispatchEvent(new Event("inspector:shown"));
}

/// The bar stays the element it is, so that a hand on the slider keeps it.
function putScrubber(page) {
  const here = document.getElementById("scrubber");
  const there = page.getElementById("scrubber");
  if (!here || !there) return;
  here.querySelector(".links").replaceChildren(...there.querySelector(".links").childNodes);
  here.querySelector(".moment").replaceChildren(...there.querySelector(".moment").childNodes);
  const slider = here.querySelector("input[type=range]");
  const wanted = there.querySelector("input[type=range]");
  slider.min = wanted.min;
  slider.max = wanted.max;
  if (!slider.dataset.held) slider.value = wanted.value;
  slider.setAttribute("aria-valuetext", slider.closest("form").querySelector(".moment").textContent.trim());
}

// Folded parts stay folded, and what had the focus keeps it.
function openState(main) { return [...main.querySelectorAll("details")].map((part) => part.open); }
function restoreOpen(main, open) {
  const parts = main.querySelectorAll("details");
  if (parts.length === open.length) parts.forEach((part, index) => { part.open = open[index]; });
}
function focusPath() {
  const here = document.activeElement;
  if (here?.dataset?.step) return `[data-step="${here.dataset.step}"]`;
  return here?.id ? `#${CSS.escape(here.id)}` : null;
}
function refocus(path) {
  const target = path && document.querySelector(path);
  if (target && target !== document.activeElement) target.focus({ preventScroll: true });
}

/// A page of which a part is still being read is asked for again until it has it.
export function awaitPending() {
  if (!document.querySelector("main [data-pending]")) return;
  const address = location.href;
  setTimeout(() => {
    if (location.href === address && document.querySelector("main [data-pending]")) show(address, { isLive: true });
  }, 300);
}

const glidersMax = 400;

function places(main) {
  const places = new Map();
  for (const row of [...main.querySelectorAll("[data-key]")].slice(0, glidersMax)) {
    places.set(row.dataset.key, row.getBoundingClientRect());
  }
  return places;
}

function glide(main, before) {
  if (before.size === 0) return;
  for (const row of [...main.querySelectorAll("[data-key]")].slice(0, glidersMax)) {
    const now = row.getBoundingClientRect();
    if (now.bottom < 0 || now.top > innerHeight) continue;
    const then = before.get(row.dataset.key);
    if (!then) {
      row.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 220, easing: "ease-out" });
    } else if (Math.abs(then.top - now.top) > 1 || Math.abs(then.left - now.left) > 1) {
      const from = `translate(${then.left - now.left}px, ${then.top - now.top}px)`;
      row.animate([{ transform: from }, { transform: "none" }], { duration: 220, easing: "ease-in-out" });
    }
  }
}
