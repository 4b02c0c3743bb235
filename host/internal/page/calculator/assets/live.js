// The sheet follows the form. Until a new result arrives, the old result stays, dimmed and marked as outdated.
// Its data for programs are removed at once.

const form = document.getElementById("calculator");
const sheet = document.getElementById("sheet");
const status = document.getElementById("status");
const outdated = document.getElementById("outdated");

const PAUSE = 350; // ms after the last key before a request

const live = {
  pinned: form.dataset.version === form.dataset.current ? "" : form.dataset.version,
  shown: null, // the request for the result on the sheet
  timer: 0,
  asking: null,
  split: {}, // by field: numbers that the reader typed with their units
  typed: {}, // by field: the text that was split
};

const announce = (text) => { status.textContent = text; };

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

// keyOf returns a text that differs for different requests.
const keyOf = (request) => live.pinned + "\n" + request.view + "\n" + request.body;

// withoutAction removes the action from the linked data of the page, because there is no result.
function withoutAction() {
  const block = document.getElementById("calculatorx-jsonld");
  if (!block) return;
  const linked = JSON.parse(block.textContent);
  linked["@graph"] = linked["@graph"].filter((node) => node["@type"] !== "Action");
  block.textContent = JSON.stringify(linked);
}

const hasResult = () => sheet.querySelector("article.sheet") !== null;

// outdate marks the result on the sheet as outdated, and disables its buttons.
function outdate() {
  if (live.shown === null) return;
  document.getElementById("calculatorx-result")?.remove();
  document.getElementById("slipstick-read")?.remove();
  withoutAction();
  for (const button of sheet.querySelectorAll("button")) button.disabled = true;
  sheet.setAttribute("aria-busy", "true");
  live.shown = null;
  showOutdated("This result belongs to the previous inputs.");
}

// showOutdated explains why the sheet shows an outdated result.
function showOutdated(...parts) {
  outdated.hidden = false;
  outdated.querySelector("span").replaceChildren(...parts);
}

// showNoResult explains why there is no result, above the dimmed result or on the blank sheet.
function showNoResult(...parts) {
  outdate();
  if (hasResult()) return showOutdated(...parts, " The result below belongs to the previous inputs.");
  outdated.hidden = true;
  let line = sheet.querySelector(":scope > p.empty");
  if (!line) {
    line = element("p", "empty");
    sheet.prepend(line);
  }
  line.replaceChildren(...parts);
}

function clearErrors() {
  form.querySelector(".problem")?.remove();
  for (const e of form.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
  for (const e of form.querySelectorAll(".error")) {
    e.textContent = "";
    e.hidden = true;
  }
}

const controlOf = (name) => document.getElementById("f-" + name);

function markError(name, text) {
  const message = document.getElementById("e-" + name);
  if (!message) return;
  message.textContent = text;
  message.hidden = false;
  const control = controlOf(name);
  if ("fill" in control.dataset || control.dataset.kind && control.dataset.kind !== "table") control.setAttribute("aria-invalid", "true");
  message.closest("details")?.setAttribute("open", "");
}

// showHints shows the meaning of a text at its field.
function showHints(hints = {}) {
  for (const e of form.querySelectorAll(".hint")) {
    const text = hints[e.id.replace(/^n-/, "")] ?? "";
    e.textContent = text;
    e.hidden = text === "";
  }
}

// splitUnits moves a unit that the reader typed after a number to its menu, when the field loses focus.
function splitUnits() {
  for (const [name, { text, unit }] of Object.entries(live.split)) {
    const control = controlOf(name);
    const menu = form.elements.namedItem(name + ".unit");
    if (!menu?.options || control === document.activeElement || control.value !== live.typed[name]) continue;
    if (![...menu.options].some((one) => one.value === unit)) continue;
    control.value = text;
    menu.value = unit;
    delete live.split[name];
  }
}

// stillNeeded names missing inputs. If the reader asked for the result, it also marks their fields.
function stillNeeded(missing, asked) {
  showNoResult("Still needed: " + missing.map((e) => e.label).join(", ") + ".");
  if (!asked) return;
  for (const e of missing) markError(e.name, "Enter a value. The calculation needs it.");
  focusField(missing[0].name);
}

function focusField(name) {
  const control = controlOf(name);
  (control.querySelector("input") ?? control).focus();
}

// share sets the URL of the page to a URL with the same inputs.
function share(query) {
  history.replaceState(null, "", location.pathname + (query === "" ? "" : "?" + query));
}

// fillFields shows the rows that the server chose for fields.
function fillFields(rows = {}) {
  for (const [name, row] of Object.entries(rows)) {
    form.elements.namedItem(name + ".preset").value = row;
    form.querySelector("[data-fill]").value = "";
  }
}

function understood(read) {
  share(read.query);
  fillFields(read.filled);
  showHints(read.hints);
  live.split = read.split ?? {};
  live.typed = Object.fromEntries(Object.keys(live.split).map((name) => [name, controlOf(name).value]));
  splitUnits();
}

function showResult(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  sheet.replaceChildren(...parsed.body.childNodes);
  sheet.closest(".bench").classList.add("answered");
  sheet.removeAttribute("aria-busy");
  outdated.hidden = true;
  const read = JSON.parse(document.getElementById("slipstick-read").textContent);
  understood(read);
  live.shown = keyOf(readForm(form));
  announce("Result: " + (sheet.querySelector(".peek")?.textContent ?? ""));
  document.dispatchEvent(new Event("slipstick:sheet"));
}

// showHeadline scrolls to the result that the reader asked for, if its headline is not visible.
function showHeadline() {
  const heroes = sheet.querySelector(".heroes");
  const box = heroes?.getBoundingClientRect();
  if (!box || box.top >= 0 && box.bottom <= innerHeight) return;
  document.getElementById("result").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

const headersFor = (accept) => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded", Accept: accept };
  if (live.pinned !== "") headers["Service-Spec-Version"] = live.pinned;
  return headers;
};

const endpoint = (path) => form.action.split("/calc/")[0] + path;

function retry(seconds, asked) {
  clearTimeout(live.timer);
  live.timer = setTimeout(() => compute(asked), seconds * 1000);
}

// refused shows the problem that the server answered.
async function refused(response, asked) {
  let problem = {};
  try {
    problem = await response.json();
  } catch { /* a proxy answered without JSON */ }
  if (response.status === 429) {
    const wait = Math.max(1, problem.retry_after_seconds ?? 5);
    showNoResult("Too many calculations. The next one starts in " + wait + " s.");
    retry(wait, asked);
    return;
  }
  if (problem.query !== undefined) understood(problem);
  if (problem.filled) return compute(asked); // its answer names missing inputs
  const items = problem.items ?? [];
  const gentle = problem.missing && !asked;
  if (!gentle) for (const item of items) markError(item.field, item.text);
  const why = items.length > 0 && !gentle ? items.map((item) => item.label + ": " + item.text).join(" ") : problem.detail;
  showNoResult("There is no result. " + (why ?? "The server did not respond."), items.length > 0 || gentle ? "" : " " + (problem.suggestion ?? ""));
  announce(gentle ? "" : "There is no result. " + (why ?? ""));
  if (asked && items.length > 0) focusField(items[0].field);
}

// compute requests the result for the values of the form. asked reports whether the reader asked for it, and does not
// only type. filling reports whether the server should first fill fields from a row.
async function compute(asked, filling = false) {
  clearTimeout(live.timer);
  live.asking?.abort();
  const request = readForm(form, filling);
  const key = keyOf(request);
  clearErrors();
  if (!filling && !request.meaningful && !asked) return showNoResult("The result appears here.");
  if (!filling && request.missing.length > 0) return stillNeeded(request.missing, asked);
  const asking = new AbortController();
  live.asking = asking;
  try {
    const response = await fetch(endpoint("/api/v1/calc/" + form.dataset.tool) + (request.view === "" ? "" : "?" + request.view), {
      method: "POST", headers: headersFor("text/html"), body: request.body, signal: asking.signal,
    });
    if (key !== keyOf(readForm(form, filling))) return; // the form has changed; its own answer follows
    if (!response.ok) return await refused(response, asked);
    const html = await response.text();
    if (key !== keyOf(readForm(form, filling))) return;
    showResult(html);
    if (asked) showHeadline();
  } catch (error) {
    if (error.name === "AbortError") return;
    showNoResult("There is no result, because the server is unreachable. ", retryButton());
  }
}

function retryButton() {
  const button = element("button", "quiet", "Try again");
  button.type = "button";
  button.addEventListener("click", () => compute(true));
  return button;
}

function changed() {
  if (keyOf(readForm(form)) === live.shown) return;
  outdate();
  clearTimeout(live.timer);
  live.timer = setTimeout(() => compute(false), PAUSE);
}

// keepSteps adds a hidden control that asks for the worked steps from now on.
function keepSteps() {
  const kept = element("input", "");
  Object.assign(kept, { type: "hidden", name: "steps", value: "1" });
  kept.dataset.view = "";
  form.append(kept);
}

// pick chooses another published version.
function pick(version) {
  live.pinned = version === form.dataset.current ? "" : version;
  for (const li of form.querySelectorAll(".versions li")) {
    const button = li.querySelector("button");
    if (button) button.disabled = button.value === version;
  }
  const summary = form.querySelector(".versions summary");
  summary.textContent = "Version " + version + (live.pinned === "" ? "" : " (not current)");
  outdate();
  compute(true);
}

if (document.getElementById("calculatorx-result")) live.shown = keyOf(readForm(form));

// A bar at the bottom shows the result while the sheet is not visible.
const watcher = new IntersectionObserver(([result]) => {
  sheet.querySelector(".peek")?.classList.toggle("seen", result.isIntersecting);
});

function watch() {
  watcher.disconnect();
  const heroes = sheet.querySelector(".heroes");
  if (heroes) watcher.observe(heroes);
}

document.addEventListener("slipstick:sheet", watch);
watch();

form.addEventListener("input", changed);
form.addEventListener("change", (event) => {
  if ("fill" in event.target.dataset && event.target.value.trim() !== "") compute(false, true);
  else changed();
});
form.addEventListener("focusout", () => {
  const current = keyOf(readForm(form)) === live.shown;
  setTimeout(() => {
    splitUnits();
    if (current) live.shown = keyOf(readForm(form));
  });
});
form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (["snapshot", "open"].includes(button?.dataset.action)) return; // actions.js creates snapshots; open leads to another page
  event.preventDefault();
  if (button?.dataset.action === "steps") keepSteps();
  if (button?.name === "calculation_version" && button.closest(".versions")) pick(button.value);
  else compute(true, Boolean(form.querySelector("[data-fill]")?.value.trim()));
});
