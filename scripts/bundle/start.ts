/**
 * `main.js` of the bundle: loads the other files with the code that V8 compiled in an earlier start
 * (`keep-code.ts`). Node's own compile cache keeps only code that is compiled while a file is loaded, for
 * one user, in a writable folder.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { constants, Script } from 'node:vm';
import { codeFile } from './code-file.ts';

type Part = { exports: object };

/** The function that CommonJS makes of a file. */
type Run = (
  exports: object,
  require: (name: string) => unknown,
  module: Part,
  file: string,
  folder: string,
) => void;

const parts = new Map<string, Part>();

/** These take milliseconds to load, and most starts need none of them before the first request. */
const LOADED_ON_USE: ReadonlySet<string> = new Set(['node:child_process', 'node:crypto']);

load(path.join(__dirname, 'program.js'));

function load(file: string): object {
  const known = parts.get(file);
  if (known !== undefined) return known.exports;
  const part: Part = { exports: {} };
  parts.set(file, part);
  const script = new Script(readFileSync(file, 'utf8'), {
    filename: file,
    cachedData: keptCode(file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- `bundle.ts` wraps each file in such a function
  const run: Run = script.runInThisContext();
  const folder = path.dirname(file);
  const requireHere = (name: string): unknown =>
    name.startsWith('.') ? load(path.join(folder, name)) : loadModule(name);
  run(part.exports, requireHere, part, file, folder);
  return part.exports;
}

function loadModule(name: string): unknown {
  if (!LOADED_ON_USE.has(name)) return require(name);
  let loaded: unknown;
  const get = (_: object, key: PropertyKey): unknown => {
    // A search of the module for each use would take longer than a small hash.
    loaded ??= require(name);
    return Reflect.get(Object(loaded), key);
  };
  return new Proxy({}, { get });
}

/** Without it, or if V8 rejects it, functions are compiled when they are called. */
function keptCode(file: string): Buffer | undefined {
  try {
    return readFileSync(codeFile(file));
  } catch {
    return undefined;
  }
}
