// Checks the search: a result in the search box, Enter without a new page, and stored favourites.
// It also uses a result in another calculator.
import { cantilever, find } from "./browser.mjs";

const where = "find";

export async function walkFind(base, open) {
  const { page, close } = await open({}, where, "/");
  await page.keyboard.press("Tab"); // the link before the header
  await page.locator("#q").focus();
  await page.keyboard.type("30 psi in bar");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.closest("#answer"), null, { timeout: 15000 })
    .catch(() => find(where, "Enter does not move the focus to the answer"));
  const value = await page.locator("#answer .value").innerText();
  if (!/^2\.06843\s+bar$/.test(value)) find(where, `30 psi are ${value}`);
  await page.keyboard.press("Enter");
  await page.waitForURL(/convert\/pressure\?.*30/, { timeout: 15000 }).catch(() => find(where, `the answer leads to ${page.url()}`));

  await page.locator("[data-favourite]").click();
  if ((await page.locator("[data-favourite]").getAttribute("aria-pressed")) !== "true") find(where, "the favourite is not marked");
  await page.goto(base + cantilever);
  await page.goto(base + "/");
  const kept = (await page.locator("#kept").innerText()).replace(/\s+/g, " ");
  if (!/^Favourites Pressure.*Recent calculations on this device .*antilever.* Pressure/.test(kept)) find(where, `kept: ${kept}`);
  await page.getByRole("button", { name: "Clear this list: Recent calculations" }).click();
  if (/Recent calculations/.test(await page.locator("#kept").innerText())) find(where, "the cleared list is still there");

  await page.locator("#q").fill("voltage drop 20 A 30 m");
  await page.waitForFunction(() => /Still needed/.test(document.querySelector("#answer").textContent), null, { timeout: 15000 })
    .catch(() => find(where, "the answer does not use the values of the question"));
  await page.locator("#q").fill("income tax");
  await page.waitForFunction(() => /No calculator matches/.test(document.querySelector("#found").textContent), null, { timeout: 15000 })
    .catch(() => find(where, "a question without hits has no answer"));
  await close();

  // Without scripts, the URL has the results, and a result links to calculators that use it.
  const plain = await open({ javaScriptEnabled: false }, where, "/");
  await plain.page.locator("#q").fill("30 psi in bar");
  await plain.page.keyboard.press("Enter");
  await plain.page.waitForURL(/#found$/);
  await plain.page.keyboard.press("Tab");
  if (!(await plain.page.evaluate(() => Boolean(document.activeElement.closest("#answer"))))) find(where, "without scripts Tab does not lead to the answer");
  await plain.page.goto(base + "/calc/sections/rectangular-section?width=0.1&height=0.2");
  await plain.page.locator(".uses summary").click();
  await plain.page.locator(".uses a[href*='cantilever']").first().click();
  await plain.page.waitForURL(/second_moment/).catch(() => find(where, `a second moment is used at ${plain.page.url()}`));
  await plain.close();
}
