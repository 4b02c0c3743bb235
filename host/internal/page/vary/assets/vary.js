// The curve follows the controls above it. Hidden controls of the form and the URL keep the variation, so that the script
// of the page sends it with every calculation.

const PAUSE = 350; // ms after the last key before a request
const form = document.getElementById("calculator");
const state = { timer: 0, asking: null };

const section = () => document.getElementById("vary");
const rows = () => [...section().querySelectorAll(".vary-row:not(.vary-outputs)")];
const control = (row, name) => row.querySelector('[name="vary.' + name + '"]');

// textOf returns the variation of a row as a URL has it.
function textOf(row) {
  const field = control(row, "field");
  const [from, to, points] = ["from", "to", "points"].map((name) => control(row, name).value.trim());
  if (field.value === "" || "choice" in field.selectedOptions[0].dataset) return field.value;
  const unit = control(row, "unit").value;
  const withUnit = (text) => unit && /^[\d.eE+-]+$/.test(text) ? text + " " + unit : text;
  return [field.value, withUnit(from), withUnit(to), points].join(":") + (control(row, "steps").value === "log" ? ":log" : "");
}

// pairs returns the keys of the controls.
function pairs() {
  const list = rows().map(textOf).filter(Boolean).map((text) => ["vary", text]);
  const outputs = [...section().querySelectorAll('[name="vary.output"]:checked')];
  return [...list, ...outputs.map((e) => ["vary.show", e.value])];
}

// keep adds the pairs to the form, and returns the query of the page with them.
function keep(list) {
  for (const old of form.querySelectorAll('input[type="hidden"][name="vary"], input[type="hidden"][name="vary.show"]')) old.remove();
  const query = new URLSearchParams(location.search);
  query.delete("vary");
  query.delete("vary.show");
  for (const [name, value] of list) {
    const e = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    e.dataset.view = "";
    form.append(e);
    query.append(name, value);
  }
  return query.toString();
}

// fillRange fills in the default range of the chosen input.
function fillRange(row) {
  const { choice, from = "", to = "", unit = "", unitId = "" } = control(row, "field").selectedOptions[0].dataset;
  row.toggleAttribute("data-choice", choice !== undefined);
  control(row, "from").value = from;
  control(row, "to").value = to;
  control(row, "unit").value = unitId;
  row.querySelector("[data-unit]").textContent = unit;
}

function pinned() {
  const version = document.querySelector('#vary button[name="calculation_version"]')?.value;
  return version ? { "Service-Spec-Version": version } : {};
}

async function draw() {
  const place = document.getElementById("varied-place");
  const query = keep(pairs());
  if (query === state.drawn) return;
  state.asking?.abort();
  const asking = new AbortController();
  state.asking = asking;
  history.replaceState(null, "", location.pathname + "?" + query);
  place.setAttribute("aria-busy", "true");
  const pin = pinned();
  const sent = new URLSearchParams(query);
  if ("Service-Spec-Version" in pin) sent.delete("as_of"); // a version chosen in the form replaces the time in the URL
  try {
    const response = await fetch(form.action + "/vary?" + sent, { headers: { Accept: "text/html", ...pin }, signal: asking.signal });
    const drawn = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("varied");
    if (drawn) {
      place.replaceChildren(drawn);
      state.drawn = query;
    } else {
      place.textContent = "There is no result. Change a value to try again.";
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    place.textContent = "The server is unreachable. Change a value to try again.";
  }
  place.removeAttribute("aria-busy");
}

function changed(event) {
  if (!event.target.closest?.(".vary-rows")) return;
  if (event.type === "change" && event.target.name === "vary.field") fillRange(event.target.closest(".vary-row"));
  keep(pairs());
  if (document.getElementById("sheet").getAttribute("aria-busy") === "true") { // a new sheet follows
    form.dispatchEvent(new Event("input"));
    return;
  }
  clearTimeout(state.timer);
  state.timer = setTimeout(draw, event.type === "change" ? 0 : PAUSE);
}

if (form) {
  document.addEventListener("input", changed);
  document.addEventListener("change", changed);
}
