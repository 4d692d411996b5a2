/**
 * Other names of programs: `npm@latest` and `npm`, `docker-compose` and `docker compose`, `python3.12` and `python`. A deny or ask
 * rule about one of them may also mean the others. The names of a rule and those of a command are compared.
 */

/** Words that name the same program, and the number of words of the command that they replace. */
export interface SameProgram {
  readonly program: readonly string[];
  readonly skipped: number;
}

interface Named {
  readonly value: string;
}

const NONE: readonly SameProgram[] = [];
/** Caches results, because each rule is compared with the same words. */
const known = new WeakMap<readonly Named[], readonly SameProgram[]>();

/** Returns other names of the program that a command starts with. */
export function samePrograms(words: readonly Named[]): readonly SameProgram[] {
  if (hasOneName(words[0]?.value ?? '')) return NONE;
  const found = known.get(words) ?? findSame(words);
  known.set(words, found);
  return found;
}

/** A fast filter: most programs have only one name. */
export function hasOneName(written: string): boolean {
  if (!/^[\w./~-]*$/.test(written)) return false;
  const name = written.slice(written.lastIndexOf('/') + 1);
  return /^[a-z_]*$/.test(name) && !HAS_MORE.test(name) && !PHRASES.has(name) && !GROUP_OF.has(name);
}

/** Their next words may be a part of the name. */
const HAS_MORE = /^(python|docker|podman|nerdctl)$/;

function findSame(words: readonly Named[]): readonly SameProgram[] {
  const written = words[0]?.value ?? '';
  if (written.startsWith('-')) return NONE;
  const names = namesIn(written);
  const found = names.flatMap((name): readonly SameProgram[] => {
    const phrase = PHRASES.get(name);
    const own: SameProgram[] = [{ program: [name], skipped: 1 }];
    if (phrase) own.push({ program: phrase, skipped: 1 });
    return own.concat(withPlugin(name, words), name === 'python' ? modulesIn(words) : []);
  });
  return found.filter(({ program, skipped }) => program.length > 1 || skipped > 1 || program[0] !== written);
}

/** Groups of names of one program. The first one represents the group. */
const GROUPS =
  'node nodejs;python py pythonw;kubectl microk8s.kubectl kubectl.docker;nc ncat netcat nc.openbsd nc.traditional;fd fdfind;bat batcat;yarn yarnpkg;make gmake;mysql mariadb;' +
  'mysqldump mariadb-dump;mysqladmin mariadb-admin;dnf yum dnf-3 microdnf;vim vi vim.basic vim.tiny vim.nox;' +
  'rm grm;mv gmv;cp gcp;ln gln;dd gdd;cat gcat;tee gtee;chmod gchmod;chown gchown;touch gtouch;mkdir gmkdir;rmdir grmdir;' +
  'shred gshred;truncate gtruncate;install ginstall;kill gkill;find gfind;sed gsed;tar gtar bsdtar;grep ggrep;awk gawk mawk nawk;' +
  'xargs gxargs;env genv;timeout gtimeout';
const GROUP_OF: ReadonlyMap<string, string> = new Map(
  GROUPS.split(';').flatMap((group) => {
    const [first = '', ...others] = group.split(' ');
    return others.map((name) => [name, first] as const);
  }),
);

/** Programs that are also commands of others. */
const PHRASES: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ['sudoedit', 'sudo -e'],
      ['pip', 'python -m pip'],
      ['npx', 'npm exec'],
      ['pnpx', 'pnpm dlx'],
      ['bunx', 'bun x'],
      ['uvx', 'uv tool run'],
    ] as const
  ).map(([name, phrase]) => [name, phrase.split(' ')]),
);

/** Programs whose name may contain a version: `python3`, `gcc-12`. A version with a dot may be in any name: `terraform1.5`. */
const VERSIONED =
  /^((?:micro)?(?:python|pypy|pip|perl|ruby|gem|php|lua|luajit|tclsh|node|npm|npx|go|gcc|g\+\+|clang|clang\+\+|java|javac|gpg|dnf|wget|make|cmake|psql|ipython|twine|easy_install))-?\d[\d.]*(?:t|-dbg|-intel64)?$/;
const WITH_DOT = /^([a-z][a-z_+-]*[a-z+])-?\d+(?:\.\d+)+$/;
/** Files that contain a program: `npm-cli.js`, `yarn-4.1.0.cjs`, `npm-10.0.0.tgz`, `docker.exe`. */
const PROGRAM_FILE =
  /^(.+?)(?:-cli\.[cm]?js|-v?\d[\w.]*\.[cm]?js|(?:-v?\d[\w.+-]*)?\.(?:tgz|tar\.gz|whl)|\.(?:exe|cmd|bat))$/;
/** A package with a version or a source: `npm@10`, `twine[keyring]>=5`, `docker:24`, `nixpkgs#docker`, `x@npm:y@1`. */
const PACKAGE = /[@#:[<>^]|[=!~]=/;

/** Returns the names of the program that a word may mean, without its folder. */
function namesIn(written: string): readonly string[] {
  const pieces = PACKAGE.test(written) ? written.split(/[^\w.+-]+/) : [written.replace(/^.*\//s, '')];
  const names = new Set<string>();
  for (const piece of pieces) {
    if (piece === '') continue;
    // Some disks ignore the case of names.
    const name = piece.toLowerCase();
    const inFile = PROGRAM_FILE.exec(name)?.[1] ?? name;
    const plain = (VERSIONED.exec(inFile) ?? WITH_DOT.exec(inFile))?.[1] ?? inFile;
    for (const each of [piece, name, inFile, plain, GROUP_OF.get(plain) ?? plain]) names.add(each);
  }
  return [...names];
}

/** Programs whose words name packages, which may have a version. */
export function takesPackages(program: string): boolean {
  return /^(npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|uv|deno|pip|poetry|pdm|cargo|gem|go)$/.test(program);
}

/** Returns the text of a word without the version of a package. */
export function withoutVersion(text: string): string {
  return /^(@?[^@=<>~!^[\]]+)(?:[@=<>~!^[].*)?$/s.exec(text)?.[1] ?? text;
}

/** Programs that run a program `docker-x` for their command `x`. */
const WITH_PLUGINS = /^(docker|podman|nerdctl|kubectl|cargo|gh)-(.+)$/;
/** The commands for services of containers are the same in these programs. */
const COMPOSES = /^(docker|podman|nerdctl)$/;

function withPlugin(name: string, [, next]: readonly Named[]): readonly SameProgram[] {
  if (COMPOSES.test(name)) return next?.value === 'compose' ? [{ program: ['compose'], skipped: 2 }] : NONE;
  const [, program, plugin] = WITH_PLUGINS.exec(name) ?? [];
  if (program === undefined || plugin === undefined) return NONE;
  // Cargo gives the name of the plugin to it: `cargo-clippy clippy`.
  const skipped = program === 'cargo' && next?.value === plugin ? 2 : 1;
  return [
    { program: [program, plugin], skipped },
    ...(plugin === 'compose' ? [{ program: [plugin], skipped: 1 }] : []),
  ];
}

/** Returns the module that Python runs as a program: `python3 -I -m pip`, `-mpip`. */
function modulesIn(words: readonly Named[]): readonly SameProgram[] {
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value ?? '';
    const [, attached] = /^-[A-Za-z]*?m(.*)$/s.exec(value) ?? [];
    if (attached !== undefined) {
      const skipped = attached === '' ? at + 2 : at + 1;
      const [name = ''] = namesIn(attached === '' ? (words[at + 1]?.value ?? '') : attached).slice(-1);
      return name === '' ? NONE : [[name], ['python', '-m', name]].map((program) => ({ program, skipped }));
    }
    const mayBeValue = /^-./.test(words[at - 1]?.value ?? '');
    if (!value.startsWith('-') && !mayBeValue) return NONE;
  }
  return NONE;
}
