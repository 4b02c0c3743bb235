// A calculator remembers its results, and whether it is a favourite.

const AWHILE = 10 * 60 * 1000; // ms in which results of one calculator replace each other

function noteResult() {
  const brief = sheet.querySelector(".peek")?.textContent;
  if (!brief || location.search === "") return;
  const now = Date.now();
  const others = kept(RECENT).filter((e) => e.path.split("?")[0] !== location.pathname || e.at < now - AWHILE && e.path !== location.pathname + location.search);
  keep(RECENT, [{ path: location.pathname + location.search, title: document.querySelector("h1").textContent, brief, at: now }, ...others]);
}

document.addEventListener("slipstick:sheet", noteResult);
noteResult();

const favourite = document.querySelector("[data-favourite]");

function showFavourite() {
  const chosen = kept(FAVOURITES).some((e) => e.path === location.pathname);
  favourite.setAttribute("aria-pressed", String(chosen));
}

favourite.addEventListener("click", () => {
  const others = kept(FAVOURITES).filter((e) => e.path !== location.pathname);
  const chosen = favourite.getAttribute("aria-pressed") === "true";
  keep(FAVOURITES, chosen ? others : [{ path: location.pathname, title: document.querySelector("h1").textContent }, ...others]);
  showFavourite();
});
showFavourite();
