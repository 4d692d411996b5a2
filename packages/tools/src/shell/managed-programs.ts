/** Recognizes programs of version managers. A file of the project names the version or the folder of the program that really runs. */
import path from 'node:path';

/** Programs that other names link to. They choose the program by that name and by files around the working directory. */
const MANAGERS = new RegExp(
  '^(rustup(-init)?|mise|rtx|asdf|volta|volta-shim|proto|proto-shim|aqua|aqua-proxy|swiftly|elan|juliaup|julialauncher|' +
    'bazelisk|dotslash|pkgx|tea|vfox|devbox|hermit|tenv|anyzig|fvm|puro|corepack|nvs)([-_.].*)?$',
);
/** Managers whose programs are scripts in their own folder. */
const MANAGER_FOLDERS =
  /\/\.?(shims|corepack|tfenv|tofuenv|tgenv|tenv|pyenv|rbenv|nodenv|jenv|goenv|phpenv|plenv|luaenv|swiftenv|asdf|mise|volta|hermit)\/(?:[^/]+\/)?(?:bin|dist|shims|libexec)\/[^/]+$|\/shims\/[^/]+$/;

/** `real` is the file with links resolved. */
export function isManagedProgram(file: string, real: string): boolean {
  return MANAGER_FOLDERS.test(file) || MANAGER_FOLDERS.test(real) || MANAGERS.test(path.posix.basename(real));
}
