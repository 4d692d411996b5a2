/**
 * Recognizes new files that replace a module of Python's own library for programs in a working directory. `python3 -c`, `python3 -m` and the
 * console look there first, and hooks, status lines and tasks use them without a script: `python3 -m json.tool`.
 */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';
import { workingFolders } from './places.ts';

/** Modules that the console, these options and usual one-line programs load, and those that they load. */
const MODULES =
  'abc argparse ast base64 bdb builtins cmd code codecs codeop collections contextlib copyreg ctypes dataclasses datetime decimal dis email encodings enum fnmatch ' +
  'functools genericpath getopt glob hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging numbers opcode ' +
  'operator os pathlib pdb pickle pkgutil platform posixpath pprint pydoc random re readline reprlib rlcompleter runpy shlex shutil site sitecustomize socket ' +
  'socketserver ssl stat string struct subprocess sys sysconfig tempfile textwrap threading timeit token tokenize traceback types typing unittest urllib ' +
  'usercustomize uuid venv warnings weakref xml zipfile zipimport zlib _collections_abc _pyrepl _sitebuiltins _weakrefset';

const FORM = new RegExp(
  String.raw`^(?:${MODULES.replaceAll(' ', '|')})(?:/__init__)?\.(?:py|pyc|pyd|so|[\w-]+\.so)$`,
);

/** Returns whether a new file would be such a module. Existing ones are ordinary files of the project. */
export function isConsoleModule(file: string, world: PermissionWorld): boolean {
  if (!/\.(?:pyc?|pyd|so)$/.test(file)) return false;
  const folders = [...workingFolders(world), world.cwd];
  return folders.some((folder) => FORM.test(path.posix.relative(folder, file))) && !world.exists(file);
}
