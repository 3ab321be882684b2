// Picks a part of a JSON file: one JSON line in, one JSON line out.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_OUTPUT = 7000;

class Refused extends Error {}

function insideWorkspace(file) {
  const workspace = fs.realpathSync(process.env.METIER_WORKSPACE ?? process.cwd());
  const wanted = path.resolve(workspace, file);
  let real;
  try {
    real = fs.realpathSync(wanted);
  } catch {
    real = wanted;
  }
  const relative = path.relative(workspace, real);
  if (relative.startsWith("..") || path.isAbsolute(relative)) {
    throw new Refused(`the path leads out of the workspace: ${file} — use one inside it`);
  }
  if (!fs.existsSync(real) || !fs.statSync(real).isFile()) {
    throw new Refused(`there is no such file: ${file} — check its name and folder`);
  }
  if (fs.statSync(real).size > MAX_BYTES) {
    throw new Refused(`the file is larger than 50 MB: ${file} — split it, or take a part of it`);
  }
  return real;
}

function keysOf(value) {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value && typeof value === "object") return `an object with ${Object.keys(value).slice(0, 30).join(", ")}`;
  return JSON.stringify(value);
}

function pick(values, steps) {
  let found = values;
  for (const step of steps) {
    const next = [];
    for (const value of found) {
      if (value === null || typeof value !== "object") continue;
      if (step === "*") next.push(...Object.values(value));
      else if (Object.hasOwn(value, step)) next.push(value[step]);
    }
    if (!next.length) {
      throw new Refused(`nothing is there: ${step} — at this place there is ${keysOf(found[0])}`);
    }
    found = next;
  }
  return found;
}

function run(input) {
  const file = typeof input.path === "string" ? input.path : "";
  const query = typeof input.query === "string" ? input.query : ".";
  let data;
  const real = insideWorkspace(file);
  try {
    data = JSON.parse(fs.readFileSync(real, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new Refused(`the file is not JSON: ${error.message} — use another file`);
  }
  const steps = query.split(".").filter(Boolean);
  if (!steps.length) return `The file holds ${keysOf(data)}.`;
  const found = pick([data], steps);
  const text = JSON.stringify(steps.includes("*") ? found : found[0], null, 2);
  return text.length <= MAX_OUTPUT ? text : `${text.slice(0, MAX_OUTPUT)}\n… cut; ask for less with a longer query`;
}

readline.createInterface({ input: process.stdin }).once("line", (line) => {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = { output: run(request?.arguments ?? {}), error: "" };
  } catch (error) {
    const said = error instanceof Refused ? error.message : `the request cannot be read: ${error.message} — send one JSON object`;
    answer = { output: "", error: said };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
});
