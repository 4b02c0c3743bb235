// The sheet follows the form. While a new result is on its way, or none can be had, the old
// one stays, dimmed and called the one of the former inputs; what machines read of it goes at
// once.

const form = document.getElementById("calculator");
const sheet = document.getElementById("sheet");
const status = document.getElementById("status");
const former = document.getElementById("former");

const PAUSE = 350; // ms without a key before the API is asked

const live = {
  pinned: form.dataset.version === form.dataset.current ? "" : form.dataset.version,
  shown: null, // the request whose result is on the sheet
  timer: 0,
  asking: null,
  split: {}, // numbers that were typed with their units, by field
  typed: {}, // what stood there then
};

const say = (text) => { status.textContent = text; };

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

// keyOf tells requests apart.
const keyOf = (request) => live.pinned + "\n" + request.view + "\n" + request.body;

// Without a result there is no action in the linked data of the page.
function withoutAction() {
  const block = document.getElementById("calculatorx-jsonld");
  if (!block) return;
  const linked = JSON.parse(block.textContent);
  linked["@graph"] = linked["@graph"].filter((node) => node["@type"] !== "Action");
  block.textContent = JSON.stringify(linked);
}

const hasResult = () => sheet.querySelector("article.sheet") !== null;

// outdate marks the result on the sheet as that of the former inputs, before anything else
// happens. What can be done with a result cannot be done with that one.
function outdate() {
  if (live.shown === null) return;
  document.getElementById("calculatorx-result")?.remove();
  document.getElementById("slipstick-read")?.remove();
  withoutAction();
  for (const button of sheet.querySelectorAll("button")) button.disabled = true;
  sheet.setAttribute("aria-busy", "true");
  live.shown = null;
  tellFormer("This is the result of the former inputs.");
}

// tellFormer says why what is on the sheet is not the result.
function tellFormer(...parts) {
  former.hidden = false;
  former.querySelector("span").replaceChildren(...parts);
}

// without says why there is no result: over the dimmed one, or on the blank sheet.
function without(...parts) {
  outdate();
  if (hasResult()) return tellFormer(...parts, " Below is the result of the former inputs.");
  former.hidden = true;
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

// showHints says at each field what was understood.
function showHints(hints = {}) {
  for (const e of form.querySelectorAll(".hint")) {
    const text = hints[e.id.replace(/^n-/, "")] ?? "";
    e.textContent = text;
    e.hidden = text === "";
  }
}

// splitUnits moves a unit that was typed after a number to its menu, when the field is left.
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

// stillNeeded says what is missing: gently while somebody types, at the fields when they
// ask for the result.
function stillNeeded(missing, asked) {
  without("Still needed: " + missing.map((e) => e.label).join(", ") + ".");
  if (!asked) return;
  for (const e of missing) markError(e.name, "Enter a value: without it there is nothing to calculate.");
  focusField(missing[0].name);
}

function focusField(name) {
  const control = controlOf(name);
  (control.querySelector("input") ?? control).focus();
}

// share keeps the address one that gives the same inputs.
function share(query) {
  history.replaceState(null, "", location.pathname + (query === "" ? "" : "?" + query));
}

// fillFields shows the row that the server has chosen for fields.
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
  sheet.removeAttribute("aria-busy");
  former.hidden = true;
  const read = JSON.parse(document.getElementById("slipstick-read").textContent);
  understood(read);
  live.shown = keyOf(readForm(form));
  say("Result: " + (sheet.querySelector(".peek")?.textContent ?? ""));
  document.dispatchEvent(new Event("slipstick:sheet"));
}

const headersFor = (accept) => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded", Accept: accept };
  if (live.pinned !== "") headers["Service-Spec-Version"] = live.pinned;
  return headers;
};

const endpoint = (path) => form.action.split("/calc/")[0] + path;

function again(seconds, asked) {
  clearTimeout(live.timer);
  live.timer = setTimeout(() => compute(asked), seconds * 1000);
}

// refused shows what was answered instead of a result.
async function refused(response, asked) {
  let problem = {};
  try {
    problem = await response.json();
  } catch { /* what answers without JSON is no API of ours */ }
  if (response.status === 429) {
    const wait = Math.max(1, problem.retry_after_seconds ?? 5);
    without("Too many calculations from this address. The next one follows in " + wait + " s.");
    again(wait, asked);
    return;
  }
  if (problem.query !== undefined) understood(problem);
  if (problem.filled) return compute(asked); // which says what is still needed
  const items = problem.items ?? [];
  const gentle = problem.missing && !asked;
  if (!gentle) for (const item of items) markError(item.field, item.text);
  const why = items.length > 0 && !gentle ? items.map((item) => item.label + ": " + item.text).join(" ") : problem.detail;
  without("There is no result. " + (why ?? "The service did not answer."), items.length > 0 || gentle ? "" : " " + (problem.suggestion ?? ""));
  say(gentle ? "" : "There is no result. " + (why ?? ""));
  if (asked && items.length > 0) focusField(items[0].field);
}

// compute asks the API to compute with the values of the form. Asked is whether the reader wants the
// result now, and does not only type. Filling is whether the server is to fill fields from a row first.
async function compute(asked, filling = false) {
  clearTimeout(live.timer);
  live.asking?.abort();
  const request = readForm(form, filling);
  const key = keyOf(request);
  clearErrors();
  if (!filling && !request.meaningful && !asked) return without("The result will stand here.");
  if (!filling && request.missing.length > 0) return stillNeeded(request.missing, asked);
  const asking = new AbortController();
  live.asking = asking;
  try {
    const response = await fetch(endpoint("/api/v1/calc/" + form.dataset.tool) + (request.view === "" ? "" : "?" + request.view), {
      method: "POST", headers: headersFor("text/html"), body: request.body, signal: asking.signal,
    });
    if (key !== keyOf(readForm(form, filling))) return; // more was typed; its own answer follows
    if (!response.ok) return await refused(response, asked);
    const html = await response.text();
    if (key === keyOf(readForm(form, filling))) showResult(html);
  } catch (error) {
    if (error.name === "AbortError") return;
    without("There is no result: the service could not be reached. ", retryButton());
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

// keepSteps asks for the worked steps from now on, as the address then does.
function keepSteps() {
  const kept = element("input", "");
  Object.assign(kept, { type: "hidden", name: "steps", value: "1" });
  kept.dataset.view = "";
  form.append(kept);
}

// pick computes with another published version from now on.
function pick(version) {
  live.pinned = version === form.dataset.current ? "" : version;
  for (const li of form.querySelectorAll(".versions li")) {
    const button = li.querySelector("button");
    if (button) button.disabled = button.value === version;
  }
  const summary = form.querySelector(".versions summary");
  summary.textContent = "Version " + version + (live.pinned === "" ? "" : " (not the current one)");
  outdate();
  compute(true);
}

if (document.getElementById("calculatorx-result")) live.shown = keyOf(readForm(form));

// On a narrow screen a bar at its end shows the result, as long as the sheet does not.
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
  if (["freeze", "open"].includes(button?.dataset.action)) return; // see actions.js; the other leads to another page
  event.preventDefault();
  if (button?.dataset.action === "steps") keepSteps();
  if (button?.name === "calculation_version" && button.closest(".versions")) pick(button.value);
  else compute(true, Boolean(form.querySelector("[data-fill]")?.value.trim()));
});
