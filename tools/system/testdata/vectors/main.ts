// Makes the calls of a test, and prints what it gets with the bits of numbers.
import { argv } from "node:process";
import { Client, Problem, q } from "./calculations/calculations.js";
import type { Answer } from "./calculations/calculations.js";

const c = new Client(argv[2] ?? "");

async function tell(id: string, call: () => Promise<Answer<object>>): Promise<void> {
  try {
    const { result } = await call();
    console.log(id, Object.entries(result).map(([name, v]) => `${name}=${bits(v)}`).sort().join(" "));
  } catch (error) {
    console.log(id, error instanceof Problem ? `${error.code} ${error.field ?? ""}` : String(error));
  }
}

function bits(v: unknown): string {
  if (typeof v !== "number") return String(v);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, v);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

CALLS
