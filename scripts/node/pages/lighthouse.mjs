// Google's Lighthouse on the main pages: each category at least 95.
import lighthouse from "lighthouse";
import { launch as launchChrome } from "chrome-launcher";
import { conclude, executable, find, pages } from "./browser.mjs";

const base = process.argv[2];
const least = 0.95;
const list = await pages(base);
const chrome = await launchChrome({ chromePath: executable, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"], logLevel: "silent" });
const said = [];
for (const name of ["index", "form", "result"]) {
  const { lhr } = await lighthouse(base + list[name], {
    port: chrome.port, logLevel: "silent", onlyCategories: ["performance", "accessibility", "best-practices", "seo"],
  });
  for (const c of Object.values(lhr.categories)) {
    said.push(`${name} ${c.id} ${Math.round(c.score * 100)}`);
    if (c.score < least) {
      const why = c.auditRefs.map((r) => lhr.audits[r.id]).filter((a) => a.score !== null && a.score < 0.9).map((a) => `${a.id} ${a.displayValue ?? ""}`);
      find(name, `${c.id} ${Math.round(c.score * 100)}: ${why.join(", ")}`);
    }
  }
}
await chrome.kill();
conclude(said.join("\n"));
