// The last calculations and the favourites, which only this device stores. They are never sent.

const RECENT = "slipstick.recent";
const FAVOURITES = "slipstick.favourites";
const MOST_KEPT = 12;

// kept returns a list of { path, title, brief, at }. It ignores paths outside of this site.
function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key)).filter((e) => typeof e.title === "string" && /^\/(?!\/)/.test(e.path));
  } catch {
    return [];
  }
}

function keep(key, list) {
  try {
    localStorage.setItem(key, JSON.stringify(list.slice(0, MOST_KEPT)));
  } catch { /* storage is disabled */ }
}
