// The pages work without this. With it the bar that goes through history acts at once, new commits appear as they are
// made, and a stretch of the timeline can be drawn.
import { awaitPending, giveUp, hold, refresh, showAgain } from "./page.js";
import { bindScrubber, noteNewest, stop } from "./scrubber.js";
import { bindBrush } from "./brush.js";

bindScrubber();
bindBrush();
awaitPending();
addEventListener("popstate", () => {
  stop();
  showAgain();
});
// The browser follows a link, or sends a form: a page that comes before the next one must not change the address.
for (const name of ["click", "submit"]) {
  addEventListener(name, (event) => {
    const isOther = event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0;
    if (event.defaultPrevented || isOther || (name === "click" && !event.target.closest?.("a[href]"))) return;
    stop();
    giveUp();
  });
}

// Left and right in a table or a picture are for reading; brackets go through history from anywhere.
addEventListener("keydown", (event) => {
  // Some keyboards have brackets behind Option, or behind AltGr, which is Control and Alt.
  if ((event.ctrlKey && !event.altKey) || event.metaKey || event.target.closest("input, select, textarea")) return;
  const name = { "[": "previous", "]": "next" }[event.key];
  const link = name && document.querySelector(`a[data-step="${name}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});

const connection = document.getElementById("connection");
let events;
let again;
// No event says what happened before the connection was there again: another database may have taken the place of this one.
let isLost = false;

function say(words, state) {
  if (connection.textContent === words) return;
  connection.textContent = words;
  connection.dataset.state = state;
}

function listen() {
  clearTimeout(again);
  events?.close();
  const source = new EventSource("/events");
  events = source;
  source.addEventListener("open", () => {
    say("connected", "good");
    if (isLost && document.body.dataset.follows) refresh();
    isLost = false;
  });
  source.addEventListener("error", () => {
    say("connection lost", "bad");
    isLost = true;
    // After an answer that refuses it (there may be too many followers) the browser does not try again.
    if (source !== events || source.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(() => { if (!document.hidden) listen(); }, 5000);
  });
  source.addEventListener("commits", (event) => noteCommits(JSON.parse(event.data)));
}

function noteCommits({ newest, isReplaced }) {
  const shown = Number(document.body.dataset.commit ?? -1);
  noteNewest(newest);
  // Another database may have as many commits.
  if (document.body.dataset.follows && (shown !== newest || isReplaced)) {
    say(`live at commit ${newest}`, "good");
    refresh();
  } else if (shown >= 0 && shown < newest) {
    say(`newest commit ${newest}`, "good");
  } else {
    say("connected", "good");
  }
}

// A link that is pressed stays where it is until it was followed: a page that comes in between would take it away.
let isPressed = false;
function release() {
  if (!isPressed) return;
  isPressed = false;
  hold(false);
}
const pressed = ["main", "header", "#scrubber"].map((place) => `${place} a, ${place} button, ${place} summary`).join(", ");
addEventListener("pointerdown", (event) => {
  // Other buttons open a menu, and nobody says when they go up.
  if (event.button !== 0 || event.ctrlKey || !event.target.closest?.(pressed)) return;
  isPressed = true;
  hold(true);
});
addEventListener("pointerup", () => setTimeout(release, 0));
for (const name of ["pointercancel", "contextmenu", "blur"]) addEventListener(name, release);

if (!document.hidden) listen();
// A page that nobody sees needs no news, and there are six connections for all pages.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    release();
    return events?.close();
  }
  if (events && events.readyState !== EventSource.CLOSED) return;
  listen();
  if (document.body.dataset.follows) refresh();
});
// A page that the browser keeps for going back to would keep its connection, too, and there are six for all pages: a seventh
// page would wait for a minute.
addEventListener("pagehide", () => {
  stop();
  giveUp();
  clearTimeout(again);
  events?.close();
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  if (!document.hidden) listen();
  refresh();
});
