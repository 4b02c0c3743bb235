// Search while typing: the script narrows the list at once, and after a pause the server ranks it, because it knows more
// words.

const question = document.getElementById("q");
const found = document.getElementById("found");
const hits = document.getElementById("hits");
const all = document.getElementById("all");
const jumps = document.querySelector(".jump"); // to parts of the list
const partial = all.hasAttribute("data-part"); // there are more pages
const PAUSE = 250; // ms
let timer = 0;
let asking = null;

const cards = [...all.querySelectorAll(".cards li")].map((li) => ({ li, text: (li.textContent + " " + li.dataset.words).toLowerCase() }));

const words = (text) => text.toLowerCase().split(/\s+/).filter((word) => word !== "");

// narrow hides entries without all words, and the headings of hidden entries.
function narrow(list) {
  let count = 0;
  for (const { li, text } of cards) {
    li.hidden = !list.every((word) => text.includes(word));
    if (!li.hidden) count++;
  }
  for (const section of all.querySelectorAll("section")) section.hidden = !section.querySelector(".cards li:not([hidden])");
  return count;
}

function showAll(shown) {
  all.hidden = !shown;
  if (jumps) jumps.hidden = !shown;
}

function show(text) {
  const list = words(text);
  hits.replaceChildren();
  document.getElementById("answer").replaceChildren();
  showAll(true);
  if (partial) { // the other pages can have further hits
    found.textContent = "";
    more(null);
    return;
  }
  const count = narrow(list);
  found.textContent = list.length === 0 ? "" : count + " on this page";
}

// more links to the next page of the list or of a search.
const rest = document.getElementById("more")?.cloneNode(true);
function more(page) {
  document.getElementById("more")?.remove();
  const link = page?.getElementById("more") ?? (page ? null : rest?.cloneNode(true));
  if (link) all.after(link);
}

// rank shows the hits of the server, best first. If there are none, the list stays narrowed.
async function rank(text) {
  asking?.abort();
  asking = new AbortController();
  try {
    const address = question.form.action.split("#")[0] + "?q=" + encodeURIComponent(text);
    const response = await fetch(address, { headers: { Accept: "text/html" }, signal: asking.signal });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (question.value.trim() !== text) return;
    found.textContent = page.getElementById("found").textContent;
    document.getElementById("answer").replaceChildren(...page.getElementById("answer").childNodes);
    const ranked = page.getElementById("hits");
    if (!ranked.querySelector("li")) {
      narrow([]);
      return;
    }
    hits.replaceChildren(...ranked.childNodes);
    showAll(false);
    more(page);
  } catch { /* aborted, or not reachable: the list stays narrowed */ }
}

// Enter searches on this page, and moves the focus to the first result.
question.form.addEventListener("submit", async (event) => {
  const text = question.value.trim();
  if (text === "") return;
  event.preventDefault();
  clearTimeout(timer);
  await rank(text);
  (document.querySelector("#answer a, #hits a") ?? question).focus();
});

question.addEventListener("input", () => {
  const text = question.value.trim();
  clearTimeout(timer);
  asking?.abort();
  show(text);
  if (location.pathname === new URL(question.form.action).pathname) {
    history.replaceState(null, "", text === "" ? location.pathname : location.pathname + "?q=" + encodeURIComponent(text));
  }
  if (text.length > 1) timer = setTimeout(() => rank(text), PAUSE);
});
