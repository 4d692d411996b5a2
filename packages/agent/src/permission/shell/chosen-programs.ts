/**
 * Programs that the project chooses. Some run what a file of the project names, whatever their arguments are. Others are
 * started by a version manager: a file in the working directory, or in a folder above, names the version or the folder of
 * the program that really runs. A cache of compilers starts them, too, and has effects of its own.
 */
import path from 'node:path';
import { isManagedProgram, type ShellWord } from '@heddle/tools/shell';
import { isAtOrBelowSome, realFolders } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { baseName } from './runners.ts';
import { filesOf, startedNames } from './started-programs.ts';

/**
 * They run programs or load code that the project names: a makefile, a Gemfile, a wrapper of the compiler, a module in the
 * working directory. Git does so only with certain settings.
 */
const RUNS_PROJECT: ReadonlySet<string> = new Set(
  'make cargo rustc yarn pnpm bundle composer go ldd python python3'.split(' '),
);

export function runsProjectPrograms(name: string): boolean {
  return RUNS_PROJECT.has(withoutSystemFolder(name));
}

function withoutSystemFolder(name: string): string {
  return name.replace(/^\/(usr\/)?bin\//, '');
}

/**
 * They print their version or help without a look at the project. All programs with a proof do so, too. Programs that take these words for names
 * of files are not listed (`pdftotext`, `identify`), nor is `exiftool`, which starts `perldoc`.
 */
const PRINTS_OWN: ReadonlySet<string> = new Set(
  (
    'npm npx pip pip3 pipx gem ruby php java javac jar lua luajit ghc cabal ocaml opam nix terraform tofu helm kustomize kubectl podman aws ' +
    'eksctl argocd istioctl minikube kind k9s systemctl journalctl apt apt-get apt-cache dpkg rpm dnf yum pacman apk ' +
    'xz zstd bzip2 lz4 7z cpio ar ranlib strip readelf size gprof gcov flex bison autoconf automake libtool pkg-config m4 ' +
    'lsd tokei cloc scc ack gron mlr dust duf procs btm xmllint xsltproc qpdf gs sox git-lfs gh nvim ' +
    'mysql mongosh redis-cli redis-server postgres httpd caddy haproxy dig host whois traceroute mtr iperf3 man'
  ).split(' '),
);

/** Returns whether the only argument asks for the version or the help. */
export function asksForHelp(program: string, args: readonly (string | undefined)[]): boolean {
  const [first, ...more] = args;
  return /^[\w.+-]+$/.test(program) && more.length === 0 && (first === '--version' || first === '--help');
}

/** Returns whether a command may run a program that a file of the project names. Git is checked by its settings. */
export function mayRunChosen(words: readonly ShellWord[], world: PermissionWorld): boolean {
  const [name, ...args] = words;
  if (name === undefined) return false;
  if (runsProjectPrograms(name.value) || isManaged(words, world)) return true;
  const program = withoutSystemFolder(name.value);
  const isQuery = asksForHelp(
    program,
    args.map(({ value }) => value),
  );
  return isQuery && !PRINTS_OWN.has(program);
}

/** Returns whether a version manager or a cache of compilers starts the program, or one that it runs, or a link leads to one of the project. */
export function isManaged(words: readonly ShellWord[], world: PermissionWorld): boolean {
  return shimsOf(words, world).length > 0;
}

/**
 * Returns whether each manager that starts a program of the command reads its choice only from protected files. Edits of
 * these files always ask, so a folder that the user trusts keeps its choice.
 */
export function isChoiceProtected(words: readonly ShellWord[], world: PermissionWorld): boolean {
  const namesFiles = Object.keys(world.environment).some((name) => OTHER_FILES.test(name));
  return (
    !namesFiles &&
    shimsOf(words, world).every((file) => [file, world.realpath(file)].some((at) => READS_PROTECTED.test(at)))
  );
}

/** Other managers also read `package.json` and similar files, whose edits are ordinary work. */
const READS_PROTECTED = /\/\.?(asdf|mise|pyenv|rbenv|jenv)\/shims\/[^/]+$|\/(asdf|mise)$/;
/** With these variables, the managers read files with other names. */
const OTHER_FILES = /^(MISE_(ENV|PROFILE)|(MISE|ASDF)_.*FILE)/;

function shimsOf(words: readonly ShellWord[], world: PermissionWorld): readonly string[] {
  return startedNames(words, world)
    .flatMap((name) => filesOf(name, world))
    .filter((file) => isShim(file, world));
}

/**
 * Programs that start a compiler and have its name. Also for its version, they write their cache and statistics, or ask a server for
 * its results.
 */
const COMPILER_CACHES =
  /^(s?ccache|distcc|pump|icecc|icerun|icecream|buildcache|gomacc|rewrapper|colorgcc|firebuild)([-_.\d].*)?$/;
const CACHE_FOLDERS = /\/\.?(s?ccache|distcc|icecc|icecream|buildcache|goma|colorgcc)\/(?:[^/]+\/)*[^/]+$/;

function isShim(file: string, world: PermissionWorld): boolean {
  const real = world.realpath(file);
  return (
    isManagedProgram(file, real) ||
    [file, real].some((at) => CACHE_FOLDERS.test(at)) ||
    COMPILER_CACHES.test(baseName(real)) ||
    leadsIntoProject(file, real, world)
  );
}

/** Returns whether a link outside of the project leads to a program in it: `~/bin/tool -> ~/src/tool/main.sh`. */
function leadsIntoProject(file: string, real: string, world: PermissionWorld): boolean {
  const folders = realFolders(world);
  if (isAtOrBelowSome(file, folders) || !isAtOrBelowSome(real, folders)) return false;
  return world.isSystemFolder?.(path.posix.dirname(real)) !== true;
}
