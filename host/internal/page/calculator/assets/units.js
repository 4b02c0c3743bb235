// The units of the reader: a system and a number of digits, which this device remembers, and a unit for single results.
// The URL has precedence.

const REMEMBERED = { units: "slipstick.units", digits: "slipstick.digits" };

function remembered(name) {
  try {
    return localStorage.getItem(REMEMBERED[name]) ?? "";
  } catch {
    return ""; // storage is disabled
  }
}

function remember(name, choice) {
  try {
    localStorage.setItem(REMEMBERED[name], choice);
  } catch { /* storage is disabled */ }
}

// showDefault shows the default, the example and the range of a field in the unit of its menu.
function showDefault(menu) {
  const name = menu.name.slice(0, -".unit".length);
  const option = menu.selectedOptions[0];
  const { default: byDefault, example, range } = option.dataset;
  if (byDefault) controlOf(name).placeholder = "default " + byDefault;
  const hint = document.querySelector(`#h-${name} [data-example]`);
  const limits = document.querySelector(`#h-${name} .range`);
  if (limits && range) limits.textContent = "Must be " + range + ".";
  if (hint && example) hint.textContent = example + " " + option.textContent;
}

// suit sets empty fields to the units of the system.
function suit(system) {
  for (const menu of form.querySelectorAll("select.unit")) {
    if (enteredIn(menu.closest("fieldset.cells") ?? controlOf(menu.name.slice(0, -".unit".length)))) continue;
    menu.value = presetOf(menu, system);
    showDefault(menu);
  }
}

// adopt copies the units of results into the form, which keeps them while there is no result.
function adopt() {
  for (const menu of sheet.querySelectorAll("select.shown-in[name]")) {
    menu.dataset.name = menu.name;
    menu.removeAttribute("name");
    choose(menu);
  }
}

function choose(menu) {
  const { name } = menu.dataset;
  let kept = form.querySelector(`input[type=hidden][name="${name}"]`);
  if (!kept) {
    kept = element("input");
    kept.type = "hidden";
    kept.name = name;
    kept.dataset.view = "";
    form.append(kept);
  }
  kept.value = menu.value;
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "units") {
    remember("units", target.value);
    suit(target.value);
  } else if (target.name === "digits") {
    remember("digits", target.value);
  } else if (target.matches("select.unit")) {
    showDefault(target);
  }
});

sheet.addEventListener("change", ({ target }) => {
  if (!target.matches("select.shown-in")) return;
  choose(target);
  changed();
});

document.addEventListener("slipstick:sheet", adopt);
adopt();

if (!new URLSearchParams(location.search).has("digits") && form.elements.namedItem("digits")?.value === "" && remembered("digits") !== "") {
  form.elements.namedItem("digits").value = remembered("digits");
  if (live.shown !== null) changed();
}

if (!new URLSearchParams(location.search).has("units")) {
  const radio = [...form.querySelectorAll("[name=units]")].find((e) => e.value === remembered("units"));
  if (radio && !radio.checked) {
    radio.checked = true;
    suit(radio.value);
    if (live.shown !== null) changed();
  }
}
