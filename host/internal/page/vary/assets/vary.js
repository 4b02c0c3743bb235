// The curve follows what is entered above it. What is varied is kept in hidden controls of the
// form, so that the script of the page sends it with every calculation, and in the address.

const PAUSE = 350; // ms without a key before the service is asked
const form = document.getElementById("calculator");
const state = { timer: 0, asking: null };

const section = () => document.getElementById("vary");
const rows = () => [...section().querySelectorAll(".vary-row:not(.vary-outputs)")];
const control = (row, name) => row.querySelector('[name="vary.' + name + '"]');

// textOf is what a row means, as an address has it.
function textOf(row) {
  const field = control(row, "field");
  const [from, to, points] = ["from", "to", "points"].map((name) => control(row, name).value.trim());
  if (field.value === "" || "choice" in field.selectedOptions[0].dataset) return field.value;
  return [field.value, from, to, points].join(":") + (control(row, "steps").value === "log" ? ":log" : "");
}

// pairs is what the controls ask for.
function pairs() {
  const list = rows().map(textOf).filter(Boolean).map((text) => ["vary", text]);
  const outputs = [...section().querySelectorAll('[name="vary.output"]:checked')];
  return [...list, ...outputs.map((e) => ["vary.show", e.value])];
}

// keep puts the pairs into the form, and returns the query of the page with them.
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

// another fills in the range that belongs to the chosen input.
function another(row) {
  const { choice, from = "", to = "", unit = "" } = control(row, "field").selectedOptions[0].dataset;
  row.toggleAttribute("data-choice", choice !== undefined);
  control(row, "from").value = from;
  control(row, "to").value = to;
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
  if ("Service-Spec-Version" in pin) sent.delete("as_of"); // a version that was chosen in the form replaces the time in the address
  try {
    const response = await fetch(form.action + "/vary?" + sent, { headers: { Accept: "text/html", ...pin }, signal: asking.signal });
    const drawn = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("varied");
    if (drawn) {
      place.replaceChildren(drawn);
      state.drawn = query;
    } else {
      place.textContent = "There is no answer. Change something to try again.";
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    place.textContent = "The service could not be reached. Change something to try again.";
  }
  place.removeAttribute("aria-busy");
}

function changed(event) {
  if (!event.target.closest?.(".vary-rows")) return;
  if (event.type === "change" && event.target.name === "vary.field") another(event.target.closest(".vary-row"));
  keep(pairs());
  if (document.getElementById("sheet").getAttribute("aria-busy") === "true") { // the whole sheet is on its way
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
