// On a phone, a heading opens and closes its part of a sheet. The parts that people seldom read are closed at first. On a larger
// screen, on paper and without scripts all parts are open.

const phone = matchMedia("(max-width: 40rem)");
const folded = ".sheet > :is(.steps, .given, .assumed, .grounds, .limits, .trust, .verify), #sheet > :is(.part:not(.formula))";
const opened = new Set(); // headings of the parts that the reader opened

// fold gives the headings of all parts a button, or takes it away.
function fold() {
  for (const part of document.querySelectorAll(folded)) {
    const heading = part.querySelector(":scope > h2");
    const button = heading?.querySelector("button");
    if (!heading || phone.matches === Boolean(button)) continue;
    if (button) {
      heading.textContent = button.textContent;
      continue;
    }
    const made = document.createElement("button");
    made.type = "button";
    made.className = "fold";
    made.textContent = heading.textContent;
    made.setAttribute("aria-expanded", String(opened.has(made.textContent)));
    heading.replaceChildren(made);
  }
}

// unfold opens the part that a link leads to.
function unfold(hash) {
  const button = document.getElementById(hash.slice(1))?.closest(".part")?.querySelector(":scope > h2 > .fold");
  if (button?.getAttribute("aria-expanded") === "false") button.click();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".fold");
  if (button) {
    const open = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(open));
    opened[open ? "add" : "delete"](button.textContent);
  } else {
    unfold(event.target.closest("a[href^='#']")?.hash ?? "");
  }
});
phone.addEventListener("change", fold);
for (const place of document.querySelectorAll("#sheet")) new MutationObserver(fold).observe(place, { childList: true });
fold();
unfold(location.hash);
