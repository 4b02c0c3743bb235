// Tables of rows: rows are added and removed, and pasted from a spreadsheet.

const rowsOf = (table) => [...table.querySelectorAll("tbody tr")];
const cellsOf = (row) => [...row.querySelectorAll("input")];

// number names the controls after their rows.
function number(table) {
  rowsOf(table).forEach((row, i) => {
    for (const cell of cellsOf(row)) cell.setAttribute("aria-label", cell.getAttribute("aria-label").replace(/row \d+$/, "row " + (i + 1)));
    row.querySelector("[data-remove]").setAttribute("aria-label", "Remove row " + (i + 1));
  });
}

function addRow(table) {
  const row = rowsOf(table).at(-1).cloneNode(true);
  for (const cell of cellsOf(row)) cell.value = "";
  table.querySelector("tbody").append(row);
  number(table);
  return row;
}

// removeRow keeps one row, because addRow copies a row.
function removeRow(row) {
  const table = row.closest("table");
  if (rowsOf(table).length === 1) {
    for (const cell of cellsOf(row)) cell.value = "";
  } else {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    number(table);
    cellsOf(next)[0].focus();
  }
  table.dispatchEvent(new Event("input", { bubbles: true }));
}

// split splits text from a spreadsheet into columns at tabs, otherwise at semicolons, otherwise at commas. It does not change
// numbers; the server reads them.
function split(text) {
  const mark = ["\t", ";"].find((one) => text.includes(one)) ?? ",";
  return text.split(/\r?\n/).filter((line) => line.trim() !== "")
    .map((line) => line.split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
}

function paste(event) {
  const cell = event.target.closest("fieldset.cells td input");
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!cell || !/[\t\n;]/.test(text.trim())) return;
  event.preventDefault();
  const table = cell.closest("table");
  const lines = split(text);
  const heading = lines.length > 1 && !lines[0].some((one) => /\d/.test(one)) ? lines.shift() : null;
  const column = cellsOf(cell.closest("tr")).indexOf(cell);
  let row = cell.closest("tr");
  for (const line of lines) {
    row ??= addRow(table);
    cellsOf(row).slice(column).forEach((one, i) => { if (i < line.length) one.value = line[i]; });
    row = row.nextElementSibling;
  }
  const width = cellsOf(rowsOf(table)[0]).length - column;
  const hint = table.closest("fieldset").querySelector(".pasted");
  hint.hidden = false;
  hint.textContent = lines.length + (lines.length === 1 ? " row" : " rows") + " pasted." +
    (heading ? " The first line, “" + heading.join(", ") + "”, was skipped as a heading." : "") +
    (lines.some((line) => line.length > width) ? " Extra columns were skipped." : "");
  table.dispatchEvent(new Event("input", { bubbles: true }));
}

form.addEventListener("paste", paste);
form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && "add" in button.dataset) cellsOf(addRow(button.closest("fieldset").querySelector("table")))[0].focus();
  if (button && "remove" in button.dataset) removeRow(button.closest("tr"));
});
