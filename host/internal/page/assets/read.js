// What stands in the form, as the API and the address want it. Numbers go as they were
// typed, never through a number of JavaScript, which would change them.

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

// literal is the text as a JSON number if it is one, else as a JSON string, which the API
// judges.
const literal = (text) => (NUMBER.test(text) ? text : JSON.stringify(text));

// A decimal is a number that goes as a string, so that each of its digits counts.
const scalar = (text, type) => {
  if (type === "number") return literal(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text;
  return JSON.stringify(text);
};

const words = (line) => line.split(/[\s,;]+/).filter((word) => word !== "");
const lines = (text) => text.split(/[;\n\r]+/).map((line) => line.trim()).filter((line) => line !== "");

function row(line, type, columns) {
  if (columns.length === 0) return "[" + words(line).map((word) => scalar(word, type)).join(",") + "]";
  const members = words(line).slice(0, columns.length + 1).map((word, i) => {
    const [name, json] = i < columns.length ? columns[i].split(":") : ["column " + word, "string"];
    return JSON.stringify(name) + ":" + scalar(word, json);
  });
  return "{" + members.join(",") + "}";
}

// valueOf is the JSON text of what was entered.
function valueOf(entry) {
  const { kind, type, columns, text, unit } = entry;
  if (kind === "rows") return "[" + lines(text).map((line) => row(line, type, columns)).join(",") + "]";
  if (kind === "list" && columns.length > 0) return row(text, type, columns);
  if (kind === "list") return "[" + words(text).map((word) => scalar(word, type)).join(",") + "]";
  const value = scalar(text, type);
  return unit === "" ? value : '{"value":' + value + ',"unit":' + JSON.stringify(unit) + "}";
}

// short is a text as an address has it: without the line ends of a list.
function short(entry) {
  if (entry.kind === "rows") return lines(entry.text).join("; ");
  if (entry.kind === "list") return words(entry.text).join(" ");
  return entry.text;
}

const controls = (form) => [...form.elements].filter((e) => e.dataset.kind);

function entryOf(form, control) {
  const { kind, json, columns = "", label, default: byDefault = "" } = control.dataset;
  const picker = form.elements.namedItem(control.name + ".unit");
  const unit = picker && picker.value !== picker.dataset.own ? picker.value : "";
  return {
    name: control.name, kind, type: json, label, unit, text: control.value.trim(), byDefault,
    columns: columns === "" ? [] : columns.split(" "),
  };
}

// readForm gives what was entered, what is still needed, and the request in both forms.
function readForm(form) {
  const entries = [];
  const missing = [];
  const seen = new Set();
  for (const control of controls(form)) {
    if (control.type === "radio" && !control.checked) continue;
    const entry = entryOf(form, control);
    seen.add(entry.name);
    if (entry.text !== "") {
      if (entry.kind !== "choice" || entry.text !== entry.byDefault) entries.push(entry);
    } else if ("required" in control.dataset) {
      missing.push(entry);
    }
  }
  for (const control of controls(form)) {
    if ("required" in control.dataset && !seen.has(control.name)) {
      seen.add(control.name);
      missing.push(entryOf(form, control));
    }
  }
  const query = entries.map((e) => {
    const pair = encodeURIComponent(e.name) + "=" + encodeURIComponent(short(e));
    return e.unit === "" ? pair : pair + "&" + encodeURIComponent(e.name + ".unit") + "=" + encodeURIComponent(e.unit);
  }).join("&");
  return {
    entries, missing, query,
    meaningful: entries.some((e) => e.kind !== "choice"),
    body: "{" + entries.map((e) => JSON.stringify(e.name) + ":" + valueOf(e)).join(",") + "}",
  };
}
