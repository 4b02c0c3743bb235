// Checks worked steps on the page, on paper and in a snapshot, for screen readers and as copied text. It also checks
// steps on request, with and without scripts.
import { cantilever, find } from "./browser.mjs";

const where = "steps";
const names = (page) => page.locator(".steps").getByRole("img").evaluateAll((list) => list.map((e) => e.getAttribute("aria-label")));
const copied = (page) => page.locator(".steps pre").evaluate((e) => e.textContent.trim().split("\n"));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// A phone shows the steps when their part is opened.
const unfold = (page) => page.locator(".steps .fold").click();

export async function walkSteps(base, open, snapshot) {
  const { page, close } = await open({ colorScheme: "dark", viewport: { width: 360, height: 800 } }, where, cantilever);
  await unfold(page);
  const read = await names(page);
  if (read.length < 10 || !same(read, await copied(page))) find(where, `read out\n${read.join("\n")}\ncopied\n${(await copied(page)).join("\n")}`);
  if (!read.at(-1).startsWith("engine: ")) find(where, `the last one is ${read.at(-1)}`);
  const seen = await page.locator(".steps").evaluate((section) => {
    const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0);
    const dark = light(getComputedStyle(document.body).backgroundColor);
    const wide = [...section.querySelectorAll("li, p, .math")].filter((e) => e.getBoundingClientRect().right > innerWidth);
    const faint = [...section.querySelectorAll("mi, mn, mo, p")].filter((e) => light(getComputedStyle(e).color) - dark < 200);
    return `${wide.length} too wide, ${faint.length} too dark`;
  });
  if (seen !== "0 too wide, 0 too dark") find(where, seen);
  await page.emulateMedia({ media: "print" });
  if (!(await page.locator(".steps ol li.answer").first().isVisible()) || (await page.locator(".steps details").isVisible())) find(where, "the printed sheet does not show them correctly");
  await page.emulateMedia({ media: "screen" });
  await page.goto(base + snapshot);
  await unfold(page);
  const stored = await names(page);
  if (stored.length < 8 || !same(stored, await copied(page))) find(where, `a snapshot has ${stored.length}`);
  await close();

  // Long steps need a request by a button. The URL then has the request too.
  const heavy = "/calc/fluids/pipe-pressure-drop?length=100&diameter=0.1&velocity=2&density=998&viscosity=0.001&roughness=4.5e-5";
  const shown = [];
  for (const javaScriptEnabled of [true, false]) {
    const asked = await open({ javaScriptEnabled }, where, heavy);
    const answer = () => asked.page.locator("#calculatorx-result").textContent();
    const before = await answer();
    if ((await names(asked.page)).length) find(where, "the page shows them without a request");
    await asked.page.getByRole("button", { name: "Show the steps" }).click();
    await asked.page.locator(".steps .answer").first().waitFor({ timeout: 15000 }).catch(() => find(where, `the page does not show them, with scripts: ${javaScriptEnabled}`));
    if (new URL(asked.page.url()).searchParams.get("steps") !== "1") find(where, `the URL is ${asked.page.url()}`);
    if ((await answer()) !== before) find(where, "the response of the API has changed");
    shown.push(await names(asked.page));
    await asked.close();
  }
  if (!same(...shown)) find(where, "scripts show other steps");
}
