/* Names for what the theme and the gallery leave unnamed, and a keyboard's way into what scrolls. */
document.addEventListener("DOMContentLoaded", () => {
  const name = (selector, label) =>
    document.querySelectorAll(selector).forEach((element) => {
      if (!element.getAttribute("aria-label")) element.setAttribute("aria-label", label);
    });
  name(".bd-sidebar-primary summary", "Show or hide this section");
  name("button.search-button, button.search-button__button", "Search");

  document.querySelectorAll(".sphx-glr-thumbcontainer").forEach((card) => {
    const title = card.querySelector(".sphx-glr-thumbnail-title");
    const link = card.querySelector("a");
    if (title && link) link.setAttribute("aria-label", title.textContent.trim());
  });
  // One for each gallery, all with one id; ours have no tags.
  document.querySelectorAll(".sphx-glr-tag-list:empty").forEach((list) => list.remove());

  // Copying takes the focus to a field that is gone then; it belongs to the button.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button.copybtn");
    if (button) setTimeout(() => button.focus(), 0);
  });

  // The search knows words; a kernel's name is for the page that takes it apart.
  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  const results = document.querySelector("#search-results");
  if (results && query.length > 8 && /[_:<]/.test(query)) {
    const link = document.createElement("a");
    link.href = `guide/kernel-names.html?name=${encodeURIComponent(query)}`;
    link.textContent = "take it apart";
    const offer = document.createElement("p");
    offer.className = "ps-decode-offer";
    offer.append("Is that the name of a kernel? Then ", link, ".");
    results.before(offer);
  }

  // What overflows, and so scrolls, can be focused; that changes with the window and with what is open.
  const BOXES = ".highlight pre, div.cell_output pre, .ps-plot, .pst-scrollable-table-container";
  const reach = () =>
    document.querySelectorAll(BOXES).forEach((box) => {
      if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  reach();
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
});
