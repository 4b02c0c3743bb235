// What a reader keeps on this device: the last calculations and the favourites. None of it is sent.

const RECENT = "slipstick.recent";
const FAVOURITES = "slipstick.favourites";
const MOST_KEPT = 12;

// kept returns a list of { path, title, brief, at }, without what is no path of this site.
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
  } catch { /* the device keeps nothing */ }
}
