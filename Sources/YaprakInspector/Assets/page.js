// Puts another page of the server into the place of this one. What the server says is what is shown; rows that are on both
// glide from where they were to where they are.
const parser = new DOMParser();
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
// The load whose page comes next; each has a number, and only the last one's page is put.
let generation = 0;
let loading = null;
let isHeld = false;
let isRefreshWanted = false;

/// Shows an address; what is being loaded meanwhile is given up. Of the browser's history `isNew` makes an entry, `isBack`
/// is one, and what is neither takes the place of the one there is. Is true once it is shown, false if it could not be, or
/// if another one came first.
export async function show(address, options = {}) {
  const mine = ++generation;
  // What is given up may have been the first of a way through history.
  const isNew = options.isNew || (loading?.isNew && !options.isBack);
  loading?.controller.abort();
  loading = { controller: new AbortController(), isNew, isRefresh: options.isRefresh };
  document.documentElement.dataset.loading = "1";
  let isShown = false;
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" }, signal: loading.controller.signal });
    const page = parser.parseFromString(await response.text(), "text/html");
    if (mine !== generation) return false;
    if (!page.getElementById("main")) throw new Error(`answer ${response.status}`);
    const target = new URL(address, location.href).href;
    if (isNew && target !== location.href) history.pushState(null, "", target);
    else if (!options.isBack && !options.isRefresh) history.replaceState(null, "", target);
    put(page, options.isRefresh, response.ok);
    isShown = true;
  } catch (error) {
    if (mine !== generation) return false;
    // The address is the other page's already.
    if (options.isBack) location.reload();
    const connection = document.getElementById("connection");
    connection.textContent = `not loaded: ${error.message}`;
    connection.dataset.state = "bad";
  }
  giveUp();
  if (isRefreshWanted) refresh();
  else awaitPending();
  return isShown;
}

/// Loads the page of the address again: after what is being loaded, and once nobody draws on it.
export function refresh() {
  isRefreshWanted = loading !== null || isHeld;
  if (!isRefreshWanted) show(location.href, { isRefresh: true });
}

/// Shows an address of the browser's own history.
export function showAgain() { show(location.href, { isBack: true }); }

/// Gives up what is being loaded: the browser goes to another page.
export function giveUp() {
  generation += 1;
  loading?.controller.abort();
  loading = null;
  delete document.documentElement.dataset.loading;
}

/// Keeps the page from being loaded again, until it may be.
export function hold(isOn) {
  isHeld = isOn;
  if (isOn && loading?.isRefresh) {
    giveUp();
    isRefreshWanted = true;
  }
  if (!isOn && isRefreshWanted) refresh();
}

/// Puts a page; what somebody types into a field of the same page stays. One that could not be shown this time stays what it
/// is: the next commit asks for it again.
function put(page, isSame, isWhole) {
  const hasScrubber = document.getElementById("scrubber") !== null;
  const getsScrubber = isSame && isWhole && hasScrubber !== (page.getElementById("scrubber") !== null);
  // The bar is bound when a page is loaded. An answer that fails again must not make it load without an end.
  if (getsScrubber && Date.now() - Number(sessionStorage.getItem("reloaded") ?? 0) > 10000) {
    sessionStorage.setItem("reloaded", Date.now());
    return location.reload();
  }
  const main = document.getElementById("main");
  const typed = isSame ? typedFields(main) : [];
  const before = places(main);
  const open = openState(main);
  const focus = focusPath();
  main.replaceChildren(...page.getElementById("main").childNodes);
  restoreOpen(main, open);
  document.title = page.title;
  for (const name of isSame && !isWhole ? [] : ["commit", "follows"]) {
    if (page.body.dataset[name] === undefined) delete document.body.dataset[name];
    else document.body.dataset[name] = page.body.dataset[name];
  }
  document.querySelector("header nav").replaceChildren(...page.querySelector("header nav").childNodes);
  putScrubber(page);
  refocus(focus);
  restoreFields(typed);
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
// What is selected in the fields, and the value of those in which there is another one than the server said.
function typedFields(main) {
  const fields = [...main.querySelectorAll("input[type=text][id]")];
  return fields.map(({ id, value, defaultValue, selectionStart, selectionEnd }) => {
    return { id, value: value === defaultValue ? null : value, selectionStart, selectionEnd };
  });
}
function restoreFields(typed) {
  for (const { id, value, selectionStart, selectionEnd } of typed) {
    const field = document.getElementById(id);
    if (!field) continue;
    if (value !== null) field.value = value;
    if (field === document.activeElement) field.setSelectionRange(selectionStart, selectionEnd);
  }
}
function focusPath() {
  const here = document.activeElement;
  if (here?.dataset?.step) return `[data-step="${here.dataset.step}"]`;
  if (here?.id) return `#${CSS.escape(here.id)}`;
  const place = here?.closest("main, header nav, .links, .moment");
  if (!place || here === place) return null;
  const within = place.localName === "nav" ? "header nav" : place.localName === "main" ? "main" : `.${place.className}`;
  if (here.localName === "a") return `${within} a[href="${CSS.escape(here.getAttribute("href"))}"]`;
  // Others by their number.
  const path = `${within} ${here.localName}`;
  const all = [...document.querySelectorAll(path)];
  return { path, number: all.indexOf(here), count: all.length };
}
function refocus(path) {
  const all = path?.path ? document.querySelectorAll(path.path) : [];
  const target = path?.path ? all.length === path.count && all[path.number] : path && document.querySelector(path);
  if (target && target !== document.activeElement) target.focus({ preventScroll: true });
}

/// A page of which a part is still being read is asked for again until it has it.
export function awaitPending() {
  if (!document.querySelector("main [data-pending]")) return;
  const address = location.href;
  setTimeout(() => {
    if (location.href === address && document.querySelector("main [data-pending]")) refresh();
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
