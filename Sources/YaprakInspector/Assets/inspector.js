// The pages work without this. With it the bar that goes through history acts at once, new commits appear as they are
// made, and a stretch of the timeline can be drawn.
import { awaitPending, giveUp, refresh, showAgain } from "./page.js";
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const name = { "[": "previous", "]": "next" }[event.key];
  const link = name && document.querySelector(`a[data-step="${name}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});

const connection = document.getElementById("connection");
let events;
let last = "";

function say(words, state) {
  if (last === words) return;
  last = words;
  connection.textContent = words;
  connection.dataset.state = state;
}

function listen() {
  events = new EventSource("/events");
  events.addEventListener("open", () => say("connected", "good"));
  events.addEventListener("error", () => say("connection lost", "bad"));
  events.addEventListener("commits", (event) => noteCommits(JSON.parse(event.data).newest));
}

function noteCommits(newest) {
  const shown = Number(document.body.dataset.commit ?? -1);
  noteNewest(newest);
  if (document.body.dataset.follows && shown !== newest) {
    say(`live at commit ${newest}`, "good");
    refresh();
  } else if (shown >= 0 && shown < newest) {
    say(`newest commit ${newest}`, "good");
  } else {
    say("connected", "good");
  }
}

listen();
// A page that the browser keeps for going back to would keep its connection, too, and there are six for all pages: a seventh
// page would wait for a minute.
addEventListener("pagehide", () => {
  stop();
  giveUp();
  events.close();
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  listen();
  refresh();
});
