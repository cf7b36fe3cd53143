/* A timeline by keyboard and by touch: what hovering tells of a bar, told when the bar is focused or tapped.
   Tab goes into the picture, arrow keys from bar to bar: left and right in a row, up and down between rows.
   Where a bar is in time and among the lanes is read from the scene, which the figure holds as JSON. */
(() => {
  "use strict";
  const HINT = "Click or tap a bar to read it; arrow keys go on from there.";
  const nearest = (bars, measure) => bars.reduce((best, bar) => (measure(bar) < measure(best) ? bar : best), bars[0]);

  /* Returns the bars of a figure, each its rectangle with its row, counted over all lanes, and its middle. */
  const barsOf = (svg, scene) => {
    const first = [0];
    for (const lane of scene.lanes) first.push(first.at(-1) + lane.rows);
    const { start_ns, end_ns, origin_ns } = scene.window;
    const [low, high] = [(start_ns - origin_ns) / 1000, (end_ns - origin_ns) / 1000];
    const rects = svg.querySelectorAll("rect:has(> title)");
    const bars = scene.bars.map(([, , lane, depth, start, duration], at) => ({
      rect: rects[at],
      row: first[lane] + depth,
      middle: (Math.max(start, low) + Math.min(start + duration, high)) / 2,
    }));
    return bars.sort((one, other) => one.row - other.row || one.middle - other.middle);
  };

  /* Returns the bar that a key leads to from another, if there is one. */
  const reached = (bars, from, key) => {
    const inRow = bars.filter((bar) => bar.row === from.row);
    const at = inRow.indexOf(from);
    if (key === "ArrowRight") return inRow[at + 1];
    if (key === "ArrowLeft") return inRow[at - 1];
    if (key === "Home") return inRow[0];
    if (key === "End") return inRow.at(-1);
    const way = { ArrowDown: 1, ArrowUp: -1 }[key];
    const beyond = way && bars.filter((bar) => way * (bar.row - from.row) > 0);
    if (!beyond?.length) return undefined;
    const next = nearest(beyond, (bar) => Math.abs(bar.row - from.row)).row;
    return nearest(beyond.filter((bar) => bar.row === next), (bar) => Math.abs(bar.middle - from.middle));
  };

  const enliven = (figure) => {
    const svg = figure.querySelector("svg");
    const box = svg?.parentElement;
    const scene = figure.querySelector("script.ps-scene");
    if (!scene || figure.dataset.psLive) return;
    figure.dataset.psLive = "yes"; // in a notebook each view brings this script
    const bars = barsOf(svg, JSON.parse(scene.textContent));
    if (!bars.length) return;
    // As one image its bars could not be reached. Their words are drawn again in the labels: once is enough.
    svg.setAttribute("role", "group");
    svg.querySelectorAll(":scope > g:has(> text)").forEach((words) => words.setAttribute("aria-hidden", "true"));
    // Hidden from screen readers, to whom the focused bar says the same.
    const told = Object.assign(document.createElement("p"), { className: "ps-told", textContent: HINT });
    told.setAttribute("aria-hidden", "true");
    box.after(told);
    let current;
    const choose = (bar) => {
      current?.rect.removeAttribute("tabindex");
      current = bar;
      const words = bar.rect.querySelector("title").textContent;
      bar.rect.setAttribute("tabindex", "0");
      bar.rect.setAttribute("role", "img");
      bar.rect.setAttribute("aria-label", words.replaceAll("\n", ", "));
      return words;
    };
    choose(bars[0]);
    const go = (bar) => {
      told.textContent = choose(bar);
      bar.rect.focus({ preventScroll: true });
      bar.rect.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    // On the box: listening for focus would make Chromium's <svg> a stop of its own.
    box.addEventListener("focusin", (event) => {
      if (event.target === current.rect) told.textContent = event.target.querySelector("title").textContent;
    });
    box.addEventListener("focusout", () => { told.textContent = HINT; });
    svg.addEventListener("click", (event) => {
      const bar = bars.find(({ rect }) => rect === event.target);
      if (bar) go(bar);
    });
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target !== current.rect) return;
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
