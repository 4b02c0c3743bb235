// The sheet follows the form. Whatever is entered takes the result of what stood there
// before off the page at once; a new one comes from the API.

const form = document.getElementById("calculator");
const sheet = document.getElementById("sheet");
const status = document.getElementById("status");

const PAUSE = 350; // ms without a key before the API is asked
const MAX_QUERY = 4096; // bytes that a page reads

const live = {
  pinned: form.dataset.version === form.dataset.current ? "" : form.dataset.version,
  shown: null, // the request whose result is on the sheet
  timer: 0,
  asking: null,
  blank: document.getElementById("blank"),
};

const say = (text) => { status.textContent = text; };

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

// keyOf tells requests apart.
const keyOf = (request) => live.pinned + "\n" + request.body;

// Without a result there is no action in the linked data of the page.
function withoutAction() {
  const block = document.getElementById("calculatorx-jsonld");
  if (!block) return;
  const linked = JSON.parse(block.textContent);
  linked["@graph"] = linked["@graph"].filter((node) => node["@type"] !== "Action");
  block.textContent = JSON.stringify(linked);
}

// clear takes the result off the sheet and says why there is none.
function clear(...why) {
  document.getElementById("calculatorx-result")?.remove();
  withoutAction();
  const block = document.getElementById("calculatorx-jsonld");
  sheet.replaceChildren(...why, live.blank.content.cloneNode(true));
  if (block) sheet.append(block);
  sheet.removeAttribute("aria-busy");
  live.shown = null;
}

// outdate marks what is on the sheet as no longer true, before anything else happens.
function outdate() {
  if (live.shown === null) return;
  document.getElementById("calculatorx-result")?.remove();
  withoutAction();
  sheet.setAttribute("aria-busy", "true");
  live.shown = null;
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
  if (!message) return false;
  message.textContent = text;
  message.hidden = false;
  const control = controlOf(name);
  if (control.dataset.kind) control.setAttribute("aria-invalid", "true");
  message.closest("details")?.setAttribute("open", "");
  return true;
}

// notANumber says it to who typed the text: they know no JSON.
const notANumber = (text) => "“" + text.slice(0, 100) + "” is not a number. " +
  (text.includes(",") ? "Write it with a point and without separators, such as 1234.5." : "Write it such as 0.35, 1200 or 2.1e11.");

// sayFields puts the labels of fields and choices for their names, as the page does.
function sayFields(text) {
  const labels = new Map();
  for (const control of controls(form)) {
    for (const option of control.options ?? []) labels.set(option.value, option.textContent);
    if (control.type === "radio") labels.set(control.value, control.nextElementSibling.textContent);
    labels.set(control.name, control.dataset.label);
  }
  return text.replace(/[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+/g, (name) => (labels.has(name) ? "“" + labels.get(name) + "”" : name));
}

// showProblem puts a problem of the API at its fields, and returns the first of them.
function showProblem(problem, request) {
  const list = problem.invalid_parameters ?? (problem.field ? [{ name: "inputs." + problem.field, constraint: problem.detail }] : []);
  let firstField = null;
  for (const { name, constraint } of list) {
    const path = name.replace(/^inputs\./, "");
    const field = path.split(".")[0];
    const entry = request.entries.find((e) => e.name === field);
    let text = constraint.startsWith(path + ": ") ? constraint.slice(path.length + 2) : constraint;
    const { code, range } = controlOf(field)?.dataset ?? {};
    if (problem.code === "INVALID_NUMBER" && path === field && entry && entry.kind === "number" && !NUMBER.test(entry.text)) {
      text = notANumber(entry.text);
    } else if (path === field && problem.code === code) {
      text = "Must be " + range + ".";
    } else if (field === problem.field && problem.suggestion && problem.code !== "INVALID_NUMBER") {
      text += ". " + problem.suggestion;
    }
    if (markError(field, sayFields(text))) firstField ??= field;
  }
  return firstField;
}

function noResult(...texts) {
  return element("p", "empty", texts.filter(Boolean).join(" "));
}

// stillNeeded says what is missing: gently while somebody types, at the fields when they
// ask for the result.
function stillNeeded(missing, asked) {
  clear(noResult("Still needed: " + missing.map((e) => e.label).join(", ") + "."));
  if (!asked) return;
  for (const e of missing) markError(e.name, "Enter a value: without it there is nothing to calculate.");
  focusField(missing[0].name);
}

function focusField(name) {
  const control = controlOf(name);
  (control.querySelector("input") ?? control).focus();
}

// share keeps the address one that gives the same inputs.
function share(request) {
  const query = request.query.length <= MAX_QUERY ? request.query : "";
  history.replaceState(null, "", location.pathname + (query === "" ? "" : "?" + query));
}

// shareOnSheet completes what the sheet says of the address.
function shareOnSheet(request) {
  for (const e of sheet.querySelectorAll("[data-share]")) e.textContent = location.href;
  for (const a of sheet.querySelectorAll("a[data-csv]")) {
    const version = new URL(a.href).searchParams.get("calculation_version");
    a.href = a.href.split("?")[0] + "?calculation_version=" + encodeURIComponent(version) + "&" + request.query;
  }
}

function showResult(html, request) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  sheet.replaceChildren(...parsed.body.childNodes);
  sheet.removeAttribute("aria-busy");
  live.shown = keyOf(request);
  shareOnSheet(request);
  say("Result: " + (sheet.querySelector(".peek")?.textContent ?? ""));
  document.dispatchEvent(new Event("slipstick:sheet"));
}

const headersFor = (accept) => {
  const headers = { "Content-Type": "application/json", Accept: accept };
  if (live.pinned !== "") headers["Service-Spec-Version"] = live.pinned;
  return headers;
};

const endpoint = (path) => form.action.split("/calc/")[0] + path;

function again(seconds, asked) {
  clearTimeout(live.timer);
  live.timer = setTimeout(() => compute(asked), seconds * 1000);
}

// refused shows what the API answered instead of a result.
async function refused(response, request, asked) {
  let problem = {};
  try {
    problem = await response.json();
  } catch { /* what answers without JSON is no API of ours */ }
  if (response.status === 429) {
    const wait = Math.max(1, problem.retry_after_seconds ?? 5);
    clear(noResult("Too many calculations from this address. The next one follows in " + wait + " s."));
    again(wait, asked);
    return;
  }
  const field = showProblem(problem, request);
  const gentle = problem.code === "MISSING_REQUIRED_INPUT" && !asked;
  if (gentle) clearErrors();
  clear(noResult("There is no result.", problem.detail ? sayFields(problem.detail) + "." : "The service did not answer.", field ? "" : problem.suggestion));
  say(gentle ? "" : "There is no result. " + (problem.detail ?? ""));
  if (asked && field) focusField(field);
}

// compute asks the API for what stands in the form. Asked is whether somebody wants the
// result now, and not only types.
async function compute(asked) {
  clearTimeout(live.timer);
  live.asking?.abort();
  const request = readForm(form);
  const key = keyOf(request);
  share(request);
  clearErrors();
  if (!request.meaningful && !asked) return clear(noResult("The result will stand here."));
  if (request.missing.length > 0) return stillNeeded(request.missing, asked);
  const asking = new AbortController();
  live.asking = asking;
  try {
    const response = await fetch(endpoint("/api/v1/calc/" + form.dataset.tool), {
      method: "POST", headers: headersFor("text/html"), body: request.body, signal: asking.signal,
    });
    if (key !== keyOf(readForm(form))) return; // more was typed; its own answer follows
    if (!response.ok) return await refused(response, request, asked);
    const html = await response.text();
    if (key === keyOf(readForm(form))) showResult(html, request);
  } catch (error) {
    if (error.name === "AbortError") return;
    clear(noResult("There is no result: the service could not be reached."), retryButton());
  }
}

function retryButton() {
  const button = element("button", "", "Try again");
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

if (!live.blank) { // the sheet is blank: keep it for later
  live.blank = document.createElement("template");
  for (const part of sheet.querySelectorAll(":scope > .part")) live.blank.content.append(part.cloneNode(true));
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
form.addEventListener("change", changed);
form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.dataset.action === "freeze") return; // see actions.js
  event.preventDefault();
  if (button?.name === "calculation_version" && button.closest(".versions")) pick(button.value);
  else compute(true);
});
