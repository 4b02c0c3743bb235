// Opens a page in the units and with the digits that this device remembers. Keys of the URL have precedence.

const page = document.querySelector("main[data-units]");
const query = new URLSearchParams(location.search);
let changed = false;

for (const name of ["units", "digits"]) {
  let kept = "";
  try {
    kept = localStorage.getItem("slipstick." + name) ?? "";
  } catch { /* storage is disabled */ }
  if (kept === "" || query.has(name) || !(name in (page?.dataset ?? {})) || page.dataset[name] === kept) continue;
  query.set(name, kept);
  changed = true;
}
if (changed) location.replace(location.pathname + "?" + query + location.hash);
