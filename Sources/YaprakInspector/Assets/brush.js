// A stretch that is drawn on the timeline is what it shows next.
import { hold } from "./page.js";

export function bindBrush() {
  let start = null;
  let pointer = null;
  let picture = null;

  const place = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * 1000;
  };
  const isMine = (event) => start !== null && event.pointerId === pointer;

  /// Ends drawing; the page may be loaded again.
  const end = () => {
    start = null;
    picture.querySelector(".brush").setAttribute("width", 0);
    hold(false);
  };

  document.addEventListener("pointerdown", (event) => {
    const found = event.target.closest?.(".timeline svg");
    if (start !== null || !found || event.button !== 0) return;
    picture = found;
    pointer = event.pointerId;
    start = place(event);
    // A commit that comes meanwhile would put another picture under the hand.
    hold(true);
  });
  document.addEventListener("pointermove", (event) => {
    if (!isMine(event)) return;
    const here = place(event);
    const brush = picture.querySelector(".brush");
    brush.setAttribute("x", Math.min(start, here));
    brush.setAttribute("width", Math.abs(here - start));
  });
  // A drag that begins on a slice is no drag of its link.
  document.addEventListener("dragstart", (event) => { if (start !== null) event.preventDefault(); });
  document.addEventListener("pointercancel", (event) => { if (isMine(event)) end(); });
  // Another page came by the browser's history.
  document.addEventListener("inspector:shown", () => { if (start !== null) end(); });
  document.addEventListener("pointerup", (event) => {
    if (!isMine(event)) return;
    const here = place(event);
    const low = Math.min(start, here);
    const high = Math.max(start, here);
    const drawn = picture;
    end();
    if (high - low < 6) return;
    const slices = [...drawn.querySelectorAll(".slices a")].filter((slice) => {
      const left = Number(slice.querySelector("rect").getAttribute("x"));
      const right = left + Number(slice.querySelector("rect").getAttribute("width"));
      return right >= low && left <= high;
    });
    if (slices.length === 0) return;
    const addresses = slices.map((slice) => new URL(slice.getAttribute("href"), location.href));
    const bound = (name, best) => best(...addresses.map((address) => Number(address.searchParams.get(name))));
    addresses[0].searchParams.set("from", bound("from", Math.min));
    addresses[0].searchParams.set("to", bound("to", Math.max));
    // The click that ends the drag is not one on a slice.
    addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
    setTimeout(() => location.assign(addresses[0].href), 0);
  });
}
