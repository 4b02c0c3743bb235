// Helpers of all checks: the browser, and the pages to check.
import { execFileSync } from "node:child_process";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

export const cantilever = "/calc/statics/cantilever-deflection?L=3&E=210e9&I=8.356e-5&w0=12000&w=5000&a=1.5&M0=800";

// older is a page of a capability with several versions, and compareWithFirst its button for the first of them.
export const older = "/calc/thermo/grey-surface-radiation?emissivity=0.9&temperature=309";
export const compareWithFirst = 'button[name="compare.with"][value="1.0.0"]';

// pages returns one page of each kind. Servers of the tests have these capabilities.
export async function pages(base) {
  const created = await fetch(base + "/api/v1/share", {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: '{"tool_id":"cantilever-deflection","inputs":{"L":3,"E":210e9,"I":8.356e-5,"w0":12000}}',
  }).then((r) => r.json());
  return {
    index: "/",
    form: "/calc/electrical/watts-to-amps",
    tabs: "/calc/electrical/watts-to-amps?primary=330&volts=110&circuit=ac_single_phase&pf=0.8",
    result: cantilever,
    failure: "/calc/electrical/ohms-law?V=12&R=0",
    snapshot: created.links.snapshot,
    guide: "/docs/start/api-caller",
    evidence: "/api/v1/capabilities/cantilever-deflection/evidence",
    problem: "/problems/voltage-must-be-positive",
    missing: "/calc/electrical/ohmslaw",
    rows: "/calc/electrical/ohms-law/rows",
    study: "/calc/electrical/ohms-law/study?V=12&R=8&study.kind=monte_carlo&study.output=current&study.is.resistance=rectangular&study.width.resistance=0.5",
  };
}

// executable is headless Chromium, which needs half of the CPU time, or otherwise Chromium.
export const executable = execFileSync("sh", ["-c", "command -v chromium-headless-shell || command -v chromium"]).toString().trim();

// launch starts the browser with additional environment variables.
export function launch(env = {}) {
  return chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"], env: { ...process.env, ...env } });
}

// accessible reports axe violations of a page, for all rules or only some. Pages have no frames, so axe runs in the page
// itself. It describes only the nodes of violations, which takes less time.
export async function accessible(where, page, rules = []) {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await (rules.length ? axe.withRules(rules) : axe).analyze();
  for (const v of violations) find(where, `axe ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.target).join("; ")}`);
}

// fits reports a page that is wider than the window.
export async function fits(where, page) {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wider > 1) find(where, `${wider} px wider than the window`);
}

// findings are all reported errors. The program exits with 1 if there are any.
export const findings = [];
export function find(where, what) {
  findings.push(`${where}: ${what}`);
}
export function conclude(said) {
  console.log(said);
  for (const f of findings) console.error(f);
  process.exitCode = findings.length ? 1 : 0;
}
