/* Hands a trace to Perfetto's page, by the protocol that Perfetto documents
   (perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui): open it in the click, send PING until it
   answers PONG, then send the trace. Nothing is sent before a click, and the trace to no other page. */
(() => {
  "use strict";
  const EVERY_MS = 50;
  // Set on <html> to hand over elsewhere, to a Perfetto of one's own say.
  const setting = (name, usual) => document.documentElement.dataset[name] || usual;
  const place = () => new URL(setting("perfetto", "https://ui.perfetto.dev")).origin;
  const patienceMs = () => Number(setting("perfettoPatienceMs", 12000));

  const link = (address, text, download) => {
    const made = Object.assign(document.createElement("a"), { href: address, textContent: text });
    if (download) made.download = "";
    else Object.assign(made, { target: "_blank", rel: "noopener" });
    return made;
  };
  const byHand = (button) => [
    link(button.dataset.trace, "Download the trace", true), " and open it at ", link(place(), new URL(place()).host), ".",
  ];

  const answered = (ui, origin) =>
    new Promise((resolve, reject) => {
      const until = Date.now() + patienceMs();
      const heard = (event) => {
        if (event.source === ui && event.origin === origin && event.data === "PONG") end(resolve);
      };
      const asking = setInterval(() => {
        if (ui.closed) end(reject, "The window that Perfetto was to open in is closed. ");
        else if (Date.now() > until) end(reject, `No answer from ${new URL(origin).host}: does it open in this browser? Without a network, read the timeline in words, or ask “profiling-series read” for a reading. `);
        else ui.postMessage("PING", origin);
      }, EVERY_MS);
      const end = (settle, value) => {
        clearInterval(asking);
        removeEventListener("message", heard);
        settle(value);
      };
      addEventListener("message", heard);
    });

  const fetched = async (address) => {
    const failed = (why) => `The trace could not be fetched (${why}). `;
    const answer = await fetch(address).catch((error) => Promise.reject(failed(error.message)));
    if (!answer.ok) throw failed(`the server answers ${answer.status}`);
    return answer.arrayBuffer().catch((error) => Promise.reject(failed(error.message)));
  };

  const handOver = async (button, say) => {
    if (location.protocol === "file:") {
      say("A page that was opened from a file cannot read the trace beside it. ", ...byHand(button),
        " Served by “nox -s serve”, this button does it in one click.");
      return;
    }
    const origin = place();
    const ui = window.open(origin); // in the click: later, the browser would block it
    if (!ui) {
      say("The browser did not let a new window open. Allow it for this page, or do it by hand. ", ...byHand(button));
      return;
    }
    say("Waiting for Perfetto …");
    button.disabled = true;
    try {
      const [buffer] = await Promise.all([fetched(button.dataset.trace), answered(ui, origin)]);
      const fileName = decodeURIComponent(new URL(button.dataset.trace, location.href).pathname.split("/").pop());
      ui.postMessage({ perfetto: { buffer, title: button.dataset.title || fileName, fileName } }, origin, [buffer]);
      say("Handed over. Perfetto may ask whether to trust this page.");
    } catch (why) {
      say(String(why), ...byHand(button));
    } finally {
      button.disabled = false;
    }
  };

  const start = () =>
    document.querySelectorAll("button.ps-perfetto").forEach((button) => {
      // Beside the button, empty until there is something to say: a live region must be there before its words.
      const said = Object.assign(document.createElement("span"), { className: "ps-said" });
      said.setAttribute("role", "status");
      said.setAttribute("aria-live", "polite");
      button.after(" ", said);
      button.hidden = false;
      button.addEventListener("click", () => handOver(button, (...parts) => said.replaceChildren(...parts)));
    });
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
