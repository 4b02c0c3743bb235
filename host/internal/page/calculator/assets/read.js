// What stands in the form, as the page without a script would send it. The server reads what
// people type: there is no second reader here.

const controls = (form) => [...form.elements].filter((e) => e.dataset.kind);

// enteredIn tells whether a control, or a table of controls, holds anything.
function enteredIn(control) {
  if (control.dataset.kind === "table") {
    return [...control.querySelectorAll("input, textarea")].some((cell) => cell.value.trim() !== "");
  }
  return control.value.trim() !== "" && (control.type !== "radio" || control.checked);
}

const nameOf = (control) => control.dataset.name ?? control.name;

// viewOf is what the reader asks to see besides the inputs, as an address has it.
function viewOf(form) {
  const asks = (e) => ("view" in e.dataset ? e.name !== "" && e.value !== "" && (e.type !== "radio" || e.checked) : asksInForm(form, e));
  return [...form.elements].filter(asks).map((e) => encodeURIComponent(e.name) + "=" + encodeURIComponent(e.value)).join("&");
}

// presetOf is the unit that an empty field has by itself in a system of units.
const presetOf = (menu, system) => [...menu.options].find((o) => o.dataset.systems?.split(" ").includes(system))?.value ?? menu.dataset.own;

// asksInForm is whether the unit at an empty field is meant for the result of the same name.
function asksInForm(form, e) {
  if (!("result" in e.dataset)) return false;
  const field = form.elements.namedItem(e.name.slice(0, -".unit".length));
  const system = form.querySelector("[name=units]:checked")?.value ?? "";
  return field.value.trim() === "" && e.value !== presetOf(e, system);
}

// readForm gives the request, and what is still needed. The row that is to fill fields belongs to it when the server is
// asked to fill them.
function readForm(form, filling = false) {
  const entered = new Set();
  const missing = new Map();
  let meaningful = false;
  for (const control of controls(form)) {
    const name = nameOf(control);
    if (enteredIn(control)) {
      entered.add(name);
      meaningful ||= control.dataset.kind !== "choice";
    } else if ("required" in control.dataset) {
      missing.set(name, control.dataset.label);
    }
  }
  for (const row of form.querySelectorAll("[data-preset]")) { // a row of a table in place of a number
    if (row.value.trim() === "") continue;
    entered.add(row.name.replace(/\.preset$/, ""));
    meaningful = true;
  }
  for (const name of entered) missing.delete(name);
  const seen = new Set([...form.elements].filter((e) => "view" in e.dataset).map((e) => e.name));
  if (!filling) for (const row of form.querySelectorAll("[data-fill]")) seen.add(row.name);
  const body = new URLSearchParams([...new FormData(form)].filter(([name]) => !seen.has(name)));
  return {
    body: body.toString(), view: viewOf(form), meaningful,
    missing: [...missing].map(([name, label]) => ({ name, label })),
  };
}
