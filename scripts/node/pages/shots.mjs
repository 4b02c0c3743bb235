// Screenshots of the main pages: desktop, phone, dark, print.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { conclude, launch, pages } from "./browser.mjs";

const [base, dir] = process.argv.slice(2);
mkdirSync(dir, { recursive: true });
const browser = await launch();
for (const [name, path] of Object.entries(await pages(base))) {
  for (const [kind, options] of Object.entries({
    desktop: { viewport: { width: 1280, height: 900 } },
    phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true },
    dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  })) {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    const page = await context.newPage();
    await page.goto(base + path, { waitUntil: "load" });
    await page.screenshot({ path: join(dir, `${name}-${kind}.png`), fullPage: true });
    if (kind === "desktop") await page.pdf({ path: join(dir, `${name}-print.pdf`), preferCSSPageSize: true });
    await context.close();
  }
}
await browser.close();
conclude(`screenshots in ${dir}`);
