// Checks variations of an input: from a result to its curve, with and without scripts.
import { accessible, cantilever, find, fits, older } from "./browser.mjs";

const path = cantilever + "&vary=L:1:5:9&vary=w0:6000:12000:3";

// judged reports violations of a page, and a page that is too wide.
export async function judged(where, page) {
  await accessible(where, page);
  await fits(where, page);
}

const said = (page) => page.locator("#varied").innerText();
const curves = (page) => page.locator("#varied svg path[data-x]").count();

export async function walkVary(open) {
  await typed(open);
  await withoutScripts(open);
}

// With scripts, the curve and the URL follow the typed text.
async function typed(open) {
  const where = "vary";
  const { page, close } = await open({ viewport: { width: 360, height: 900 }, colorScheme: "dark" }, where, path);
  if (await curves(page) !== 3) find(where, `${await curves(page)} curves, and the second input has 3 values`);
  await judged(where, page);
  let asked = 0;
  page.on("request", (r) => { asked += r.url().includes("/vary?") ? 1 : 0; });
  const first = page.locator('[name="vary.to"]').first();
  await first.fill("");
  const drawn = page.waitForResponse((r) => r.url().includes("/vary?") && r.url().includes("length%3A1%3A6%3A9"));
  await first.pressSequentially("6");
  await drawn;
  await page.waitForFunction(() => document.querySelector("#varied-place")?.getAttribute("aria-busy") === null);
  if (asked > 2) find(where, `${asked} requests for one number`);
  if (!new URL(page.url()).searchParams.getAll("vary").includes("length:1:6:9")) find(where, `the URL is ${page.url()}`);
  if (!(await page.evaluate(() => document.activeElement?.name === "vary.to"))) find(where, "the field has lost the focus while typing");
  const shown = await said(page);
  await page.reload({ waitUntil: "load" });
  if (await said(page) !== shown) find(where, "the URL does not restore the curves");
  const inputs = page.waitForResponse((r) => r.url().includes("/api/v1/calc/") && r.request().method() === "POST");
  await page.locator("#f-outer_uniform_load").fill("4000");
  await inputs;
  await page.waitForFunction(() => !document.querySelector("#sheet[aria-busy]"));
  if (await curves(page) !== 3 || await said(page) === shown) find(where, "the curves do not follow the form");
  await first.fill("1");
  await page.waitForFunction(() => document.querySelector("#varied .problem")?.textContent.includes("starts and ends"));
  await close();
}

// Without scripts, the form leads to the same URL.
async function withoutScripts(open) {
  const where = "vary without scripts";
  const { page, close } = await open({ javaScriptEnabled: false }, where, older);
  await page.getByRole("link", { name: "Vary an input" }).click();
  await page.locator('[name="vary.field"]').first().selectOption("temperature");
  await page.locator('[name="vary.from"]').first().fill("0");
  await page.locator('[name="vary.to"]').first().fill("800");
  await page.locator('[name="vary.points"]').first().fill("5");
  await page.getByRole("button", { name: "Draw" }).click();
  await page.waitForURL(/[?&]vary=temperature/);
  const query = new URL(page.url()).searchParams;
  if (query.get("vary") !== "temperature:0:800:5" || [...query.keys()].some((k) => k.startsWith("vary.") && k !== "vary.show")) find(where, `the URL is ${page.url()}`);
  if (await curves(page) !== 1) find(where, `${await curves(page)} curves`);
  await close();
}
