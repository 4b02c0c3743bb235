// Checks comparisons of two versions and of two sets of inputs.
import { compareWithFirst, find, older } from "./browser.mjs";
import { judged } from "./walk-vary.mjs";

export async function walkCompare(open) {
  await versions(open, "compare versions");
  await inputs(open, "compare inputs", {});
  await inputs(open, "compare inputs without scripts", { javaScriptEnabled: false });
}

// The list of versions opens a comparison of two versions.
async function versions(open, where) {
  const { page, close } = await open({ viewport: { width: 1280, height: 900 } }, where, older);
  await page.locator("details.versions summary").click();
  await page.locator(compareWithFirst).click();
  await page.waitForURL(/compare=1\.0\.0/);
  const said = await page.locator("#compare-versions").innerText();
  for (const text of ["Version 1.0.0", "(this page)", "Stefan-Boltzmann", "+0.00013"]) {
    if (!said.includes(text)) find(where, `the comparison does not show ${text}`);
  }
  await judged(where, page);
  await page.getByRole("link", { name: "Close the comparison" }).click();
  if (page.url().includes("compare=")) find(where, "the comparison cannot be closed");
  await close();
}

// The current inputs become A, and the walk changes B.
async function inputs(open, where, options) {
  const { page, close } = await open({ viewport: { width: 360, height: 900 }, ...options }, where, older);
  await page.getByRole("link", { name: "Compare with other inputs" }).click();
  await page.locator("#w-temperature").fill("400");
  await page.getByRole("button", { name: "Compare", exact: true }).last().click();
  await page.waitForURL(/with\.temperature=400/);
  const query = [...new URL(page.url()).searchParams.keys()];
  if (query.some((k) => k.startsWith("with.") && !k.startsWith("with.temperature"))) find(where, `the URL has inputs that do not differ: ${query}`);
  const rows = await page.locator("#compare-inputs tr.differs").count();
  if (rows < 2) find(where, `${rows} rows differ`);
  if (options.javaScriptEnabled !== false) await judged(where, page);
  await page.locator("#w-temperature").fill("-1");
  await page.getByRole("button", { name: "Compare", exact: true }).last().click();
  await page.waitForSelector('#w-temperature[aria-invalid="true"]');
  await close();
}
