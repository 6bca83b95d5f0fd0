// The bar that goes through history: the slider, the steps, and playing.
import { show } from "./page.js";

const form = document.getElementById("scrubber");
const slider = form?.querySelector("input[type=range]");
let isPlaying = false;

function addressAt(number) {
  const address = new URL(location.href);
  address.searchParams.set("at", number);
  return address.href;
}

/// The newest commit there is: the slider reaches it, and stands there if the page follows.
export function noteNewest(newest) {
  if (!slider) return;
  slider.max = newest;
  if (document.body.dataset.follows && !slider.dataset.held) slider.value = newest;
}

export function bindScrubber() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#scrubber a.button");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    stop();
    show(link.href, { isNew: true });
  });
  if (!form) return;
  let isHeld = false;
  slider.addEventListener("input", () => {
    stop();
    slider.dataset.held = "1";
    // One way through history is one entry in the browser's.
    show(addressAt(slider.value), { isNew: !isHeld });
    isHeld = true;
  });
  slider.addEventListener("change", () => {
    isHeld = false;
    delete slider.dataset.held;
    show(addressAt(slider.value));
  });
  const button = form.querySelector(".play");
  button.hidden = false;
  form.querySelector(".speed").hidden = false;
  button.addEventListener("click", () => (isPlaying ? stop() : play()));
}

function stop() {
  isPlaying = false;
  const button = form?.querySelector(".play");
  if (!button) return;
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Play";
}

const frameMilliseconds = 50;

/// Goes on commit by commit as fast as they were made, or so many times as fast; from the beginning if it stands at the end.
async function play() {
  isPlaying = true;
  const button = form.querySelector(".play");
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Pause";
  let at = Number(slider.value) < Number(slider.max) ? Number(slider.value) : Number(slider.min);
  let commits = [];
  let time = null;
  let isFirst = true;
  while (isPlaying && at < Number(slider.max)) {
    if (commits.length === 0) {
      const answer = await fetch(`/api/commits?from=${at + 1}&to=${Math.min(at + 500, Number(slider.max))}&limit=500`);
      if (!answer.ok) break;
      commits = (await answer.json()).reverse();
      if (commits.length === 0) break;
      time = time ?? commits[0].ns;
    }
    const speed = Number(form.querySelector(".speed select").value);
    let due = 0;
    // Commits that come within one frame are one step.
    do {
      const commit = commits.shift();
      due += speed === 0 ? frameMilliseconds : Math.max(0, commit.ns - time) / 1e6 / speed;
      time = commit.ns;
      at = commit.commit;
    } while (due < frameMilliseconds && commits.length > 0);
    await new Promise((resolve) => setTimeout(resolve, Math.min(due, 2000)));
    if (!isPlaying) return;
    slider.value = at;
    await show(addressAt(at), { isNew: isFirst });
    isFirst = false;
  }
  stop();
}
