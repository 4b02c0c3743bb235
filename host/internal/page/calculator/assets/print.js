// Texts at the head of the printed sheet stay in this browser.

const PRINTED = "slipstick.print";

function storedFields() {
  try {
    return Object(JSON.parse(localStorage.getItem(PRINTED)));
  } catch {
    return {}; // storage is disabled, or its content is not JSON
  }
}

const printed = { fields: storedFields(), open: false };

// showPrinted fills the head of the sheet and the fields, and names the sheet at the foot of
// printed pages.
function showPrinted() {
  const text = (name) => (typeof printed.fields[name] === "string" ? printed.fields[name] : "");
  for (const e of document.querySelectorAll("[data-print]")) e.textContent = text(e.dataset.print);
  for (const e of document.querySelectorAll("[data-prints]")) if (e.value !== text(e.dataset.prints)) e.value = text(e.dataset.prints);
  for (const e of document.querySelectorAll(".print-form")) e.open = printed.open;
  const sheet = document.querySelector(".sheet");
  document.documentElement.dataset.foot = sheet?.dataset.foot ?? "";
}

document.addEventListener("input", (event) => {
  const name = event.target.dataset.prints;
  if (!name) return;
  printed.fields = { ...printed.fields, [name]: event.target.value };
  try {
    localStorage.setItem(PRINTED, JSON.stringify(printed.fields));
  } catch { /* the text is still printed */ }
  showPrinted();
});
document.addEventListener("toggle", (event) => {
  if (event.target.matches(".print-form")) printed.open = event.target.open;
}, true);
addEventListener("storage", (event) => {
  if (event.key !== PRINTED) return;
  printed.fields = storedFields();
  showPrinted();
});
document.addEventListener("slipstick:sheet", showPrinted);
showPrinted();
