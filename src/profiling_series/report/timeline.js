/* A timeline by keyboard and by touch: what hovering tells of a bar, told when the bar is focused or tapped.
   Tab goes into the picture, arrow keys from bar to bar: left and right in a row, up and down between rows. */
(() => {
  "use strict";
  const HINT = "Click or tap a bar to read it; arrow keys go on from there.";
  const number = (bar, name) => Number(bar.getAttribute(name));
  const left = (bar) => number(bar, "x");
  const row = (bar) => number(bar, "y");
  const middle = (bar) => left(bar) + number(bar, "width") / 2;
  const nearest = (bars, measure) => bars.reduce((best, bar) => (measure(bar) < measure(best) ? bar : best), bars[0]);

  /* Returns the bar that a key leads to from another, if there is one. */
  const reached = (bars, from, key) => {
    const inRow = bars.filter((bar) => row(bar) === row(from));
    const at = inRow.indexOf(from);
    if (key === "ArrowRight") return inRow[at + 1];
    if (key === "ArrowLeft") return inRow[at - 1];
    if (key === "Home") return inRow[0];
    if (key === "End") return inRow.at(-1);
    const way = { ArrowDown: 1, ArrowUp: -1 }[key];
    const beyond = way && bars.filter((bar) => way * (row(bar) - row(from)) > 0);
    if (!beyond?.length) return undefined;
    const next = row(nearest(beyond, (bar) => Math.abs(row(bar) - row(from))));
    return nearest(beyond.filter((bar) => row(bar) === next), (bar) => Math.abs(middle(bar) - middle(from)));
  };

  const enliven = (figure) => {
    const svg = figure.querySelector("svg");
    const box = svg?.parentElement;
    const bars = [...(svg?.querySelectorAll("rect") ?? [])].filter((bar) => bar.querySelector("title"));
    if (!bars.length || figure.dataset.psLive) return;
    figure.dataset.psLive = "yes"; // in a notebook each view brings this script
    bars.sort((one, other) => row(one) - row(other) || left(one) - left(other));
    // As one image its bars could not be reached. Their words are drawn again in the labels: once is enough.
    svg.setAttribute("role", "group");
    svg.querySelectorAll(":scope > g:has(> text)").forEach((words) => words.setAttribute("aria-hidden", "true"));
    // Hidden from screen readers, to whom the focused bar says the same.
    const told = Object.assign(document.createElement("p"), { className: "ps-told", textContent: HINT });
    told.setAttribute("aria-hidden", "true");
    box.after(told);
    let current;
    const choose = (bar) => {
      current?.removeAttribute("tabindex");
      current = bar;
      const words = bar.querySelector("title").textContent;
      bar.setAttribute("tabindex", "0");
      bar.setAttribute("role", "img");
      bar.setAttribute("aria-label", words.replaceAll("\n", ", "));
      return words;
    };
    choose(bars[0]);
    const go = (bar) => {
      told.textContent = choose(bar);
      bar.focus({ preventScroll: true });
      bar.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    // On the box: listening for focus would make Chromium's <svg> a stop of its own.
    box.addEventListener("focusin", (event) => {
      if (event.target === current) told.textContent = current.querySelector("title").textContent;
    });
    box.addEventListener("focusout", () => { told.textContent = HINT; });
    svg.addEventListener("click", (event) => bars.includes(event.target) && go(event.target));
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target !== current) return;
      if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
      event.preventDefault(); // else the page, or the box around the picture, scrolls as well
      const next = reached(bars, current, event.key);
      if (next) go(next);
    });
  };

  const start = () => document.querySelectorAll("figure.ps-timeline").forEach(enliven);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
