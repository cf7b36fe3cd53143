/* Decode names of kernels in the page: one a line, as they are typed, shown as the recorded names below are.
   Rules and kinds come from kernel_rules.js, the reading from decode.js. */
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const form = document.querySelector("form.ps-decoder");
  if (!form) return;
  const { rules, kinds, other, unknown } = globalThis.profilingSeriesKernelRules;
  const { decode, sources } = globalThis.profilingSeriesKernelNames(rules);
  const MOST = 50;
  const LONGEST_ADDRESS = 2000;
  const LONGEST_SHOWN = 600;
  const input = form.querySelector("textarea");
  const results = document.querySelector(".ps-decoded");
  const said = document.querySelector(".ps-decoded-said");

  /* Returns an element; what is pasted only ever becomes text. */
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const kindOf = (part) => {
    if (part.meaning === unknown) return unknown;
    return Object.keys(kinds).find((kind) => kinds[kind].includes(part.field)) ?? other;
  };
  /* A name as a JSON file or a table holds it, without its quotes and the comma behind it. */
  const bare = (line) => line.trim().replace(/^"(.*)",?$/, "$1").replace(/^'(.*)',?$/, "$1").replace(/,$/, "").trim();
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const code = (text) => make("code", { translate: "no" }, text);

  const pieces = (kernel) => {
    let number = 0;
    return kernel.parts.map((part) => {
      if (!part.meaning) return part.text;
      number += 1;
      const kind = kindOf(part).replaceAll(" ", "-");
      return make(
        "span",
        { class: `ps-piece ps-piece-${kind}`, "data-n": number, title: part.meaning },
        cut(part.text, LONGEST_SHOWN),
      );
    });
  };

  const cited = (id) => {
    if (!id) return "";
    const { title, url } = sources[id];
    return url ? make("a", { class: "reference external", href: url, title }, id) : make("span", { title }, id);
  };
  const table = (kernel) => {
    const rows = kernel.parts.filter((part) => part.meaning).map((part, at) => {
      const known = part.meaning !== unknown;
      return make(
        "tr", {},
        make("td", { class: "ps-num" }, String(at + 1)),
        make("th", { scope: "row" }, code(cut(part.text, 80))),
        make("td", {}, known ? kindOf(part) : ""),
        make("td", {}, part.meaning),
        make("td", {}, cited(part.source)),
      );
    });
    const heads = ["#", "Piece", "Tells", "Meaning", "Source"].map((head) => make("th", { scope: "col" }, head));
    const label = `Pieces of ${cut(kernel.demangled, 40)}`;
    return make(
      "div", { class: "ps-scroll", role: "group", tabindex: "0", "aria-label": label },
      make(
        "table", { class: "ps-grid ps-pieces" },
        make("thead", {}, make("tr", {}, ...heads)),
        make("tbody", {}, ...rows),
      ),
    );
  };

  const shown = (name) => {
    const kernel = decode(name);
    const notes = [...kernel.notes];
    let answer = `${kernel.summary}.`;
    if (kernel.demangled !== name) {
      answer = `${kernel.family}.`;
      notes.push("A mangled C++ symbol: the page reads its head; profiling-series kernel NAME reads all of it.");
    }
    return make(
      "figure", { class: "ps-view ps-kernel-name" },
      make("p", { class: "ps-name" }, make("code", { translate: "no" }, ...pieces(kernel))),
      make("p", { class: "ps-answer" }, answer),
      table(kernel),
      ...notes.map((note) => make("p", { class: "ps-note" }, note)),
    );
  };

  const show = () => {
    const names = [...new Set(input.value.split("\n").map(bare).filter(Boolean))];
    results.replaceChildren(...names.slice(0, MOST).map(shown));
    const strange = names.slice(0, MOST).filter((name) => !decode(name).known).length;
    const left = names.length > MOST ? `; the first ${MOST} are shown` : "";
    const lost = strange ? `, ${names.length > 1 ? `${strange} of them ` : ""}in no family that is known here` : "";
    const many = `${names.length} ${names.length === 1 ? "name" : "names"}`;
    said.textContent = names.length ? `Decoded: ${many}${lost}${left}.` : "";
    // Servers refuse long addresses.
    const address = `?name=${encodeURIComponent(names.join("\n"))}`;
    const query = names.length && address.length <= LONGEST_ADDRESS ? address : "";
    try {
      history.replaceState(null, "", location.pathname + query + location.hash);
    } catch {
      // From a file some browsers refuse to change the address; the link is then not offered.
    }
  };
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  form.querySelectorAll("button[data-name]").forEach((button) => {
    button.addEventListener("click", () => {
      input.value = button.dataset.name;
      show();
    });
  });
  form.hidden = false;
  const asked = new URLSearchParams(location.search).get("name");
  if (asked) {
    input.value = asked;
    show();
  }
});
