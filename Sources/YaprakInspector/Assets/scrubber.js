// The bar that goes through history: the slider, the steps, and playing.
import { show } from "./page.js";

const form = document.getElementById("scrubber");
const slider = form?.querySelector("input[type=range]");
// Who plays: a player that was stopped is another one than the next.
let player = null;

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
  let isSliding = false;
  let isLetGo = false;
  let wanted = null;
  slider.addEventListener("input", async () => {
    stop();
    slider.dataset.held = "1";
    wanted = slider.value;
    if (isSliding) return;
    isSliding = true;
    // Each state is shown before the next is asked for: the last one where the hand is by then.
    while (wanted !== null) {
      const number = wanted;
      wanted = null;
      // One way through history is one entry in the browser's.
      const isNew = !isHeld;
      isHeld = true;
      await show(addressAt(number), { isNew });
    }
    isSliding = false;
    if (isLetGo) letGo();
  });
  slider.addEventListener("change", () => {
    isHeld = false;
    wanted = null;
    delete slider.dataset.held;
    show(addressAt(slider.value));
  });
  // A hand that came back to where it was changes nothing, and no "change" says that it is gone.
  function letGo() {
    isHeld = false;
    isLetGo = false;
    delete slider.dataset.held;
  }
  slider.addEventListener("pointerdown", () => { isLetGo = false; });
  for (const name of ["pointerup", "pointercancel", "blur"]) {
    slider.addEventListener(name, () => {
      // After the "change" that may follow.
      setTimeout(() => {
        if (isSliding) isLetGo = true;
        else letGo();
      }, 0);
    });
  }
  const button = form.querySelector(".play");
  button.hidden = false;
  form.querySelector(".speed").hidden = false;
  button.addEventListener("click", () => (player ? stop() : play()));
}

export function stop() {
  player = null;
  const button = form?.querySelector(".play");
  if (!button) return;
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Play";
}

const frameMilliseconds = 50;

/// Goes on commit by commit as fast as they were made, or so many times as fast; from the beginning if it stands at the end.
async function play() {
  const me = {};
  player = me;
  const button = form.querySelector(".play");
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Pause";
  try {
    await go(() => player === me);
  } finally {
    if (player === me) stop();
  }
}

async function go(isPlaying) {
  let at = Number(slider.value) < Number(slider.max) ? Number(slider.value) : Number(slider.min);
  let commits = [];
  let time = null;
  let isFirst = true;
  while (at < Number(slider.max)) {
    if (commits.length === 0) {
      const answer = await fetch(`/api/commits?from=${at + 1}&to=${Math.min(at + 500, Number(slider.max))}&limit=500`);
      if (!answer.ok) return;
      commits = (await answer.json()).reverse();
      if (commits.length === 0 || !isPlaying()) return;
      time = time ?? commits[0].ns;
    }
    const speed = Number(form.querySelector(".speed select").value);
    // How long after what is shown a commit was made; at full speed, a frame.
    const gap = (commit) => (speed === 0 ? frameMilliseconds : Math.max(0, commit.ns - time) / 1e6 / speed);
    let due = gap(commits[0]);
    ({ commit: at, ns: time } = commits.shift());
    // Commits that come within one frame are one step.
    while (commits.length > 0 && due + gap(commits[0]) < frameMilliseconds) {
      due += gap(commits[0]);
      ({ commit: at, ns: time } = commits.shift());
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(due, 2000)));
    if (!isPlaying()) return;
    slider.value = at;
    if (!(await show(addressAt(at), { isNew: isFirst })) || !isPlaying()) return;
    isFirst = false;
  }
}
