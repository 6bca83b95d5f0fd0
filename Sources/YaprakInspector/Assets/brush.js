// A stretch that is drawn on the timeline is what it shows next.
export function bindBrush() {
  let start = null;
  let picture = null;

  const place = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * 1000;
  };

  document.addEventListener("pointerdown", (event) => {
    picture = event.target.closest?.(".timeline svg");
    if (!picture || event.button !== 0) return;
    start = place(event);
  });
  document.addEventListener("pointermove", (event) => {
    if (start === null) return;
    const end = place(event);
    const brush = picture.querySelector(".brush");
    brush.setAttribute("x", Math.min(start, end));
    brush.setAttribute("width", Math.abs(end - start));
  });
  // A drag that begins on a slice is no drag of its link.
  document.addEventListener("dragstart", (event) => { if (start !== null) event.preventDefault(); });
  document.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const low = Math.min(start, place(event));
    const high = Math.max(start, place(event));
    start = null;
    picture.querySelector(".brush").setAttribute("width", 0);
    if (high - low < 6) return;
    const slices = [...picture.querySelectorAll(".slices a")].filter((slice) => {
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
