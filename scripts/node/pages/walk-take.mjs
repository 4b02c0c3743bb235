// Checks exports: the menu by keyboard, LaTeX in KaTeX, and a plot as PNG.
import { readFileSync } from "node:fs";
import katex from "katex";
import { cantilever, find } from "./browser.mjs";

export async function walkExport(browser, base) {
  const where = "export";
  const context = await browser.newContext({ locale: "en-GB", acceptDownloads: true, viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await page.goto(base + cantilever, { waitUntil: "load" });
  await page.locator("details.take > summary").press("Enter");
  const links = page.locator("details.take a:visible");
  if ((await links.count()) !== 11) find(where, `${await links.count()} files in the menu`);
  const tex = await page.request.get(base + (await page.locator('details.take a[href*="formula.tex"]').getAttribute("href"))).then((r) => r.text());
  const formulas = [...tex.matchAll(/\n\\\[\n(.*)\n\\\]\n/g)].map((m) => m[1]);
  if (formulas.length < 5) find(where, `${formulas.length} formulas in LaTeX`);
  for (const formula of formulas) {
    try {
      katex.renderToString(formula, { displayMode: true, throwOnError: true });
    } catch (e) {
      find(where, `KaTeX: ${e.message}`);
    }
  }
  await page.locator("figure.picture details > summary").first().press("Enter");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator('[data-action="png"]').first().press("Enter")]);
  const png = readFileSync(await download.path());
  const svg = await page.request.get(base + (await page.locator('[data-action="png"]').first().getAttribute("data-svg"))).then((r) => r.text());
  const width = svg.match(/<svg[^>]* width="(\d+)"/)[1];
  if (png.readUInt32BE(0) !== 0x89504e47 || png.readUInt32BE(16) !== 3 * Number(width)) find(where, `the PNG is ${png.readUInt32BE(16)} wide, the plot ${width}`);
  if (!/^[a-z_]+\.png$/.test(download.suggestedFilename())) find(where, `the name of the PNG is ${download.suggestedFilename()}`);
  await context.close();
}
