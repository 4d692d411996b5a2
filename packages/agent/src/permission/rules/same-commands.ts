/** Names of commands that do the same. A deny or ask rule about one of them also concerns the others. */

/** Commands of git that do the work of others, with other options. Each is followed by the commands whose rules concern it. */
export const SAME_WORK_OF_GIT: ReadonlyMap<string, string> = new Map([
  ['send-pack', 'push'],
  ['fetch-pack', 'fetch pull'],
  ['stage', 'add'],
  ['update-index', 'add rm'],
  ['commit-tree', 'commit'],
  ['fast-import', 'commit branch tag'],
  ['update-ref', 'branch commit reset tag'],
  ['symbolic-ref', 'branch checkout switch'],
  ['read-tree', 'checkout merge reset switch'],
  ['checkout-index', 'checkout restore'],
  ['mktag', 'tag'],
]);

/** The commands of npm. Other names of a command follow it. */
const NPM: readonly (readonly string[])[] = (
  'access;adduser add-user login;approve-scripts;audit;bugs issues;cache;ci clean-install ic install-clean isntall-clean;completion;' +
  'config c;dedupe ddp;deny-scripts;deprecate;diff;dist-tag dist-tags;docs home;doctor;edit;exec x;explain why;explore;find-dupes;fund;' +
  'get;help hlep;help-search;hook;init create innit;install i add in ins inst insta instal isnt isnta isntal isntall;' +
  'install-ci-test cit clean-install-test sit;install-scripts;install-test it;link ln;ll la;logout;ls list;org ogr;outdated;' +
  'owner author;pack;ping;pkg;prefix;profile;prune;publish;query;rebuild rb;repo;restart;root;run run-script rum urn;sbom;' +
  'search s se find;set;shrinkwrap;stage;star;stars;start;stop;team;test t tst;token;trust;undeprecate;uninstall un unlink remove rm r;' +
  'unpublish;unstar;update u up upgrade udpate;version verison;view v info show;whoami'
)
  .split(';')
  .map((names) => names.split(' '));

const NAMES_OF_NPM: ReadonlySet<string> = new Set(NPM.flat());

/** Returns the beginnings of a name. Npm accepts a beginning that is not itself a name. */
function beginningsOf(name: string): readonly string[] {
  return Array.from(name, (_, index) => name.slice(0, index + 1)).filter((text) => !NAMES_OF_NPM.has(text));
}

/** Returns every text that names the same command of npm as this one. Npm reads `installTest` as `install-test`. */
function namesInNpm(word: string): ReadonlySet<string> {
  const same = NPM.filter((names) =>
    NAMES_OF_NPM.has(word) ? names.includes(word) : names.some((name) => name.startsWith(word)),
  ).flat();
  const spelled = same.flatMap((name) => [name].concat(beginningsOf(name)));
  return new Set([...spelled, ...spelled.map(inCamelCase)]);
}

function inCamelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads groups of spellings: `rm|container rm;rmi|image rm`. */
function groupsIn(text: string): readonly (readonly string[])[] {
  return text.split(';').map((spellings) => spellings.split('|'));
}

/** Commands of docker, in all spellings. */
const DOCKER: readonly (readonly string[])[] = [
  ...groupsIn(
    'rm|container rm|container remove;rmi|image rm|image remove;ps|container ls|container list|container ps;' +
      'images|image ls|image list;build|image build|builder build|buildx build|buildx b;info|system info;events|system events;' +
      'stack rm|stack down|stack remove',
  ),
  ...'config context network node plugin secret service volume'
    .split(' ')
    .map((name) => [`${name} rm`, `${name} remove`]),
  ...(
    'attach commit cp create diff exec export inspect kill logs pause port rename restart run start stats stop top unpause ' +
    'update wait'
  )
    .split(' ')
    .map((name) => [name, `container ${name}`]),
  ...'history import load pull push save tag'.split(' ').map((name) => [name, `image ${name}`]),
];

/** Commands of other programs, in all spellings. */
const SPELLINGS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ...['docker', 'podman', 'nerdctl'].map((name) => [name, DOCKER] as const),
  ['gh', ['gist', 'issue', 'pr', 'release', 'repo'].map((name) => [`${name} create`, `${name} new`])],
  ['helm', groupsIn('uninstall|delete|del|un')],
  ['cargo', groupsIn('run|r;test|t;build|b;check|c;remove|rm')],
  ['svn', groupsIn('commit|ci;delete|del|remove|rm')],
  ['hg', groupsIn('commit|ci')],
  ['yarn', groupsIn('publish|npm publish;login|npm login;logout|npm logout;tag|npm tag')],
]);

/** Commands of package managers that also run scripts by their names alone: `yarn x` is `yarn run x`. Other names of a command follow it. */
const MANAGERS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  (
    [
      [
        'pnpm',
        'install i add;remove rm uninstall un uni;update up upgrade;test t tst;list ls la ll;link ln;unlink dislink;rebuild rb;' +
          'install-test it;config c;run run-script',
      ],
      ['yarn', 'upgrade up;run'],
      ['bun', 'install i add a;remove rm;create c;run'],
    ] as const
  ).map(([name, text]) => [name, text.split(';').map((names) => names.split(' '))]),
);

/** Returns whether the first operand of a program is a command that has other names, or whose work others do. */
export function hasSameCommands(program: string): boolean {
  return program === 'git' || program === 'npm' || SPELLINGS.has(program) || MANAGERS.has(program);
}

/** A word of a command, first as it is written, then its other names. */
export type WordNames = ReadonlySet<string>;

/** Returns all spellings of a command that starts with these words, each word with all its names. */
export function sameCommands(words: readonly string[]): readonly (readonly WordNames[])[] {
  const [program = '', ...rest] = words;
  if (program === 'npm') return sameInNpm(rest).map((names) => [alone(program)].concat(names));
  const plain = words.map(alone);
  const groups = SPELLINGS.get(program) ?? [];
  const others = [1, 2].flatMap((count) => {
    const written = rest.slice(0, count).join(' ');
    const spellings = groups.find((group) => group.includes(written)) ?? [];
    return spellings
      .filter((spelling) => spelling !== written)
      .map((spelling) => [program, ...spelling.split(' '), ...rest.slice(count)].map(alone));
  });
  return [plain, ...others, ...sameInManager(program, rest)];
}

function sameInManager(program: string, words: readonly string[]): readonly (readonly WordNames[])[] {
  const groups = MANAGERS.get(program);
  const [name, ...others] = words;
  if (groups === undefined || name === undefined || name.startsWith('-')) return [];
  const namesOf = (word: string): WordNames =>
    new Set([word, ...(groups.find((names) => names.includes(word)) ?? [])]);
  const rest = others.map(alone);
  const [script] = others;
  const spelled = [alone(program), namesOf(name), ...rest];
  if (!namesOf('run').has(name)) return [spelled, [alone(program), namesOf('run'), namesOf(name), ...rest]];
  if (script === undefined || script.startsWith('-')) return [spelled];
  return [spelled, [alone(program), namesOf(script), ...rest.slice(1)]];
}

/** Returns the positions of the words with which a manager runs its next command in other packages: `yarn workspace a`. */
export function wordsOfPackages(program: string, values: readonly string[]): readonly number[] {
  const passed = program === 'yarn' ? /^workspaces?$/ : /^(?:recursive|multi|m)$/;
  if (!MANAGERS.has(program)) return [];
  const at = values.findIndex((value, index) => index > 0 && passed.test(value));
  if (at < 0) return [];
  const next = values[at + 1] ?? '';
  return values[at] === 'workspace' || next === 'foreach' ? [at, at + 1] : [at];
}

/** Commands of npm that also do the work of others. */
const ALSO_IN_NPM: ReadonlyMap<string, readonly string[]> = new Map([
  ['install', ['install-test']],
  ['ci', ['install-ci-test']],
  ['test', ['install-test', 'install-ci-test']],
]);

/** Scripts that are commands of npm. */
const SCRIPTS_OF_NPM: ReadonlySet<string> = new Set(['start', 'test', 'stop', 'restart']);

/** `npm stage publish` and `npm stage approve` publish in two steps. */
const PUBLISHES_STAGED: WordNames = new Set(['publish', 'approve']);

function sameInNpm(words: readonly string[]): readonly (readonly WordNames[])[] {
  const [name, ...others] = words;
  if (name === undefined || name.startsWith('-')) return [words.map(alone)];
  const names = namesInNpm(name);
  const rest = others.map(alone);
  const given = rest.slice(1);
  const scriptName = others[0] ?? '';
  const runs = names.has('run') && SCRIPTS_OF_NPM.has(scriptName);
  const meant = runs
    ? scriptName
    : [...names].find((each) => NAMES_OF_NPM.has(each) && SCRIPTS_OF_NPM.has(each));
  const also = [...(runs ? [scriptName] : names)].flatMap((each) => ALSO_IN_NPM.get(each) ?? []);
  const alsoNames = new Set(also.flatMap((each) => Array.from(namesInNpm(each))));
  const after = runs ? given : rest;
  return [
    [new Set([name, ...names]), ...rest],
    ...(alsoNames.size > 0 ? [[alsoNames, ...after]] : []),
    ...(runs ? [[namesInNpm(scriptName), ...given]] : []),
    ...(names.has('publish') ? [[namesInNpm('stage'), PUBLISHES_STAGED, ...rest]] : []),
    ...(!runs && meant !== undefined ? [[namesInNpm('run'), alone(meant), ...rest]] : []),
  ];
}

function alone(word: string): WordNames {
  return new Set([word]);
}
