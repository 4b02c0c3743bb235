// Reads the form as a page without scripts would send it. Only the server interprets the texts.

const controls = (form) => [...form.elements].filter((e) => e.dataset.kind);

// enteredIn reports whether a control, or a table of controls, has a value.
function enteredIn(control) {
  if (control.dataset.kind === "table") {
    return [...control.querySelectorAll("input, textarea")].some((cell) => cell.value.trim() !== "");
  }
  return control.value.trim() !== "" && (control.type !== "radio" || control.checked);
}

const nameOf = (control) => control.dataset.name ?? control.name;

// viewOf returns the view of the page as a query.
function viewOf(form) {
  const asks = (e) => ("view" in e.dataset ? e.name !== "" && e.value !== "" && (e.type !== "radio" || e.checked) : asksInForm(form, e));
  return [...form.elements].filter(asks).map((e) => encodeURIComponent(e.name) + "=" + encodeURIComponent(e.value)).join("&");
}

// presetOf returns the default unit of an empty field in a system of units.
const presetOf = (menu, system) => [...menu.options].find((o) => o.dataset.systems?.split(" ").includes(system))?.value ?? menu.dataset.own;

// asksInForm reports whether the unit at an empty field is for the result of the same name.
function asksInForm(form, e) {
  if (!("result" in e.dataset)) return false;
  const field = form.elements.namedItem(e.name.slice(0, -".unit".length));
  const system = form.querySelector("[name=units]:checked")?.value ?? "entered";
  return field.value.trim() === "" && e.value !== presetOf(e, system);
}

// readForm returns the request and the missing inputs. The request has the row for several fields only if filling is true.
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
  for (const row of form.querySelectorAll("[data-preset]")) { // a row of a table instead of a number
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
