// Runs Lighthouse on the main pages. Accessibility, best practices and SEO must be at least 95.
// "timed" also checks the performance score, which depends on the load of the machine. Without it, size, layout
// shifts and unused code must be good.
import lighthouse from "lighthouse";
import { launch as launchChrome } from "chrome-launcher";
import { conclude, executable, find, pages } from "./browser.mjs";

const [base, mode = "untimed"] = process.argv.slice(2);
const least = 0.95, good = 0.9;
const untimed = [
  "cumulative-layout-shift", "total-byte-weight", "unused-css-rules", "unused-javascript",
  "duplicated-javascript-insight", "image-delivery-insight",
];
if (!["timed", "untimed"].includes(mode)) throw new Error(`${mode}: timed or untimed`);
const list = await pages(base);
const chrome = await launchChrome({ chromePath: executable, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"], logLevel: "silent" });
const said = [];
for (const name of ["index", "form", "result", "guide"]) {
  const { lhr } = await lighthouse(base + list[name], {
    port: chrome.port, logLevel: "silent", onlyCategories: ["performance", "accessibility", "best-practices", "seo"],
  });
  for (const c of Object.values(lhr.categories)) {
    if (c.id === "performance" && mode === "untimed") continue;
    said.push(`${name} ${c.id} ${Math.round(c.score * 100)}`);
    if (c.score < least) {
      const why = c.auditRefs.map((r) => lhr.audits[r.id]).filter((a) => a.score !== null && a.score < good).map((a) => `${a.id} ${a.displayValue ?? ""}`);
      find(name, `${c.id} ${Math.round(c.score * 100)}: ${why.join(", ")}`);
    }
  }
  for (const id of untimed) {
    const audit = lhr.audits[id];
    if (!audit) find(name, `Lighthouse has no audit ${id}`);
    else if (audit.score !== null && audit.score < good) find(name, `${id}: ${audit.displayValue ?? audit.score}`);
  }
}
await chrome.kill();
conclude(said.join("\n"));
