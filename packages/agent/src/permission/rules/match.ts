/** Matches rules against the parts of a call. */
import type { CallPart, CommandPart, FetchPart, FilePart, Part, StoredFiles } from '../part.ts';
import type { FilePlace } from '../paths/places.ts';
import type { Glob } from '../paths/glob.ts';
import { literalSegments } from '../paths/segments.ts';
import { wordsOfRule } from './command-pattern.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
import type { DomainPattern } from './domain.ts';
import { holds, mayEndWith, mayHaveEnding, mayLieBelow, type SearchedWorld } from './held-files.ts';
import { mayExpandHost, mayNameHost, namesConnectedHost, namesHost } from './named-hosts.ts';
import type { PathPattern } from './path-pattern.ts';
import type { PermissionRule } from './rule.ts';
import { calledName, governingTools, isShellTool, mainField, textsIn } from './tool-names.ts';

export interface RuleMatch {
  readonly rule: PermissionRule;
  /** The reason why the rule may apply, if that is uncertain before the command runs. */
  readonly doubtful?: string;
}

/** Returns the first deny or ask rule that applies to a part, or may apply. Certain matches come first. */
export function findObjectingRule(
  part: Part,
  list: 'deny' | 'ask',
  rules: CompiledRules,
  world: SearchedWorld,
): RuleMatch | undefined {
  if (hasNoRule(part, list, rules, world)) return undefined;
  let doubtful: RuleMatch | undefined;
  const candidates = objectors(part, list, rules);
  world.spend?.(Math.ceil((candidates.length * sizeOf(part)) / COMPARISONS_PER_STEP));
  for (const rule of candidates) {
    const match = objects(part, rule, list, world);
    if (match && match.doubtful === undefined) return match;
    doubtful ??= match;
  }
  return doubtful;
}

/** The number of comparisons of a rule with a path or a spelling that take one step. */
const COMPARISONS_PER_STEP = 8;
/** The number of paths of a folder that are compared with a rule in one step. Most of them lack a text of the rule. */
const PATHS_PER_STEP = 32;
/** The number of characters of paths that are compared with a rule in one step. */
const CHARACTERS_PER_STEP = 1_024;
/** The same for texts with unknown parts. Each character of a host is compared with each one of the rule. */
const UNKNOWN_CHARACTERS_PER_STEP = 64;

/** Returns how many paths or spellings each rule is compared with. */
function sizeOf(part: Part): number {
  switch (part.kind) {
    case 'call':
    case 'fetch':
      return 1;
    case 'command': {
      const spellings = part.suspect.length + part.possible.length + part.beginnings.length;
      return spellings * Math.ceil(part.shown.length / CHARACTERS_PER_STEP);
    }
    case 'read':
    case 'write':
    case 'remove': {
      const found = part.glob?.found(part.glob.optioned)?.length ?? 0;
      return (part.places?.length ?? 1) + found + (part.glob ? STEPS_OF_SHAPES : 0);
    }
  }
}

/** The patterns of a rule and of a glob are compared segment by segment. */
const STEPS_OF_SHAPES = 16;

function objectors(part: Part, list: 'deny' | 'ask', rules: CompiledRules): readonly CompiledRule[] {
  const { commands, calls, fetches, files } = rules.objecting[list];
  switch (part.kind) {
    case 'call':
      return calls;
    case 'fetch':
      return fetches;
    case 'read':
    case 'write':
    case 'remove':
      return part.by === 'redirection' ? [...files, ...fetches] : files;
    case 'command': {
      const { suspect, possible, beginnings } = part;
      const named = commands.among(possible.length === 0 ? suspect : [...suspect, ...possible]);
      const hosts = mayConnect(part) ? fetches : [];
      if (beginnings.length === 0) return hosts.length === 0 ? named : [...hosts, ...named];
      return [...hosts, ...commands.all.filter((rule) => named.includes(rule) || mayGoOn(part, rule))];
    }
  }
}

function mayGoOn({ beginnings }: CommandPart, { specifier }: CompiledRule): boolean {
  return beginnings.some((beginning) => specifier?.doubt?.mayGoOn(beginning));
}

/** A proven command opens no connection. The value of an assignment may be the host of a later command. */
function mayConnect({ readOnly, shown }: CommandPart): boolean {
  return readOnly === 'no' || /^\w+\+?=/.test(shown);
}

/** Returns whether a part is a plain path that no rule of the list concerns. */
function hasNoRule(part: Part, list: 'deny' | 'ask', rules: CompiledRules, world: SearchedWorld): boolean {
  if (part.kind !== 'read' && part.kind !== 'write' && part.kind !== 'remove') return false;
  if (
    part.places === undefined ||
    part.isUnsettled ||
    part.deep !== 'no' ||
    part.below ||
    part.glob ||
    part.stored
  )
    return false;
  if (part.by === 'redirection' && rules.objecting[list].fetches.length > 0) return false;
  const isFree = (path: string): boolean => {
    world.spend?.(Math.ceil((rules.unnamed[list] * path.length) / CHARACTERS_PER_STEP));
    return !rules.concerns(list, path);
  };
  return part.places.every(({ path, real }) => isFree(path) && (path === real || isFree(real)));
}

function objects(
  part: Part,
  compiled: CompiledRule,
  list: 'deny' | 'ask',
  world: SearchedWorld,
): RuleMatch | undefined {
  const { rule, specifier } = compiled;
  switch (part.kind) {
    case 'call':
      if (speaksOfCall(part, compiled, list)) return { rule };
      return specifier === undefined && compiled.mayName(part.tool)
        ? { rule, doubtful: 'the name of the tool is shortened' }
        : undefined;
    case 'command':
      return objectsToCommand(part, compiled, world);
    case 'fetch':
      if (!compiled.names(part.tool) || !specifier?.domain) return undefined;
      if (part.tool === 'WebFetch' && part.host === '') return { rule, doubtful: 'its host is unknown' };
      return specifier.domain.matches(part.host) ? { rule } : undefined;
    case 'read':
    case 'write':
    case 'remove':
      return objectsToFile(part, compiled, list, world);
  }
}

function speaksOfCall(
  { tool, input, names: used }: CallPart,
  { names, specifier }: CompiledRule,
  list: 'deny' | 'ask',
): boolean {
  if (specifier === undefined) {
    // A session without a tool has another way for a call that would use it, so only a question is added.
    return governingTools(tool).some(names) || (list === 'ask' && used.some((one) => names(one.tool)));
  }
  // The field of a shell is a script, which is read part by part.
  const isScript = isShellTool(tool) && specifier.param?.name === mainField(tool);
  if (names(tool) && specifier.param && !isScript) {
    const value = input[specifier.param.name];
    if (value !== undefined && textsIn(value).some(specifier.param.value)) return true;
  }
  return used.some((one) => names(one.tool) && specifier.name?.(one.name) === true);
}

function objectsToCommand(
  part: CommandPart,
  compiled: CompiledRule,
  world: SearchedWorld,
): RuleMatch | undefined {
  const { rule, specifier } = compiled;
  if (specifier?.domain && mayConnectTo(part, specifier.domain, world))
    return { rule, doubtful: 'it may connect to that host' };
  if (!specifier?.command) return undefined;
  if (part.suspect.some(specifier.command)) return { rule };
  // A rule with a star before its end may name a file behind any words.
  const found = /^[^*]*\*.*[^*:\s]/s.test(specifier.text) ? part.found?.() : undefined;
  if (found?.spellings.some(specifier.command)) return { rule };
  if (found?.patterns.some((pattern) => specifier.doubt?.mayBecome(pattern)))
    return { rule, doubtful: 'it may name such a file' };
  if (mayGoOn(part, compiled)) return { rule, doubtful: 'the program that it runs is unknown' };
  if (part.possible.some(specifier.command)) return { rule, doubtful: 'it may run that' };
  return specifier.doubt?.mayMean(part) ? { rule, doubtful: 'it may do that' } : undefined;
}

function mayConnectTo(
  { shown, mayConnectAnywhere, given }: CommandPart,
  domain: DomainPattern,
  { spend }: SearchedWorld,
): boolean {
  if (mayConnectAnywhere === true || mayExpandHost(shown) || namesHost(shown, domain.matches)) return true;
  const { known, unknown, hosts } = given?.() ?? { known: '', unknown: '', hosts: [] };
  if (namesConnectedHost(hosts, domain)) return true;
  spend?.(Math.ceil(known.length / CHARACTERS_PER_STEP + unknown.length / UNKNOWN_CHARACTERS_PER_STEP));
  return (
    (known !== '' && namesHost(known, domain.matches)) || (unknown !== '' && mayNameHost(unknown, domain))
  );
}

function objectsToFile(
  part: FilePart,
  compiled: CompiledRule,
  list: 'deny' | 'ask',
  world: SearchedWorld,
): RuleMatch | undefined {
  const { rule, names, specifier } = compiled;
  const pattern = specifier?.path;
  if (specifier?.domain) return connectsTo(part, rule, specifier.domain);
  if (!pattern) return undefined;
  // A file that may not be read may not be changed either, because an edit shows its content. An ask rule for reading
  // covers only reading.
  const binds = part.rewrites
    ? names('Edit')
    : names(part.kind === 'read' ? 'Read' : 'Edit') || (list === 'deny' && names('Read'));
  const suspected = part.knowledge !== 'known' && names('Edit');
  if (!binds && !suspected) return undefined;
  if (part.places === undefined) return { rule, doubtful: 'the file that it accesses is unknown' };
  if (part.stored) {
    const match = objectsToStored(part.stored, part.places, pattern, rule);
    return match && part.rewrites ? { rule, doubtful: 'it may change such a file' } : match;
  }
  return (
    objectsToPlaces(part, part.places, pattern, { rule, binds, list, world }) ??
    (part.isUnsettled ? { rule, doubtful: 'an earlier command may put a link in its place' } : undefined) ??
    objectsToStoredBelow(part, compiled, list, world)
  );
}

function objectsToStoredBelow(
  { storedBelow }: FilePart,
  compiled: CompiledRule,
  list: 'deny' | 'ask',
  world: SearchedWorld,
): RuleMatch | undefined {
  for (const part of storedBelow?.() ?? []) {
    const match = objectsToFile(part, compiled, list, world);
    if (match) return { doubtful: 'what git stored may show such a file', ...match };
  }
  return undefined;
}

/** The shell opens a connection for a redirection from or to `/dev/tcp/host/port`. */
function connectsTo(
  { by, places, shown }: FilePart,
  rule: PermissionRule,
  { matches }: DomainPattern,
): RuleMatch | undefined {
  if (by !== 'redirection') return undefined;
  if (places === undefined)
    return CONNECTION.test(shown) ? { rule, doubtful: 'it may connect to that host' } : undefined;
  const isNamed = places.some(({ path }) => {
    const [, host] = CONNECTION.exec(path) ?? [];
    return host !== undefined && matches(host);
  });
  return isNamed ? { rule } : undefined;
}

const CONNECTION = /^\/dev\/(?:tcp|udp)\/([^/]+)/;

function objectsToPlaces(
  part: FilePart,
  places: readonly FilePlace[],
  pattern: PathPattern,
  {
    rule,
    binds,
    list,
    world,
  }: {
    readonly rule: PermissionRule;
    readonly binds: boolean;
    readonly list: 'deny' | 'ask';
    readonly world: SearchedWorld;
  },
): RuleMatch | undefined {
  const certain = binds && part.knowledge !== 'mentioned';
  const speaks: RuleMatch = certain ? { rule } : { rule, doubtful: 'it may touch such a file' };
  const found = part.glob?.found(part.glob.optioned);
  // Files that a deny rule matches are left out of the access. Ask rules still apply.
  const isLeftOut = list === 'deny' && part.leavesOutDenied === true;
  const deep = isLeftOut ? 'no' : part.deep;
  let held = isLeftOut ? undefined : objectsBelow(part, pattern, rule, world);
  // All files are known, and none of them matches.
  const isListed = pattern.anywhere || part.endings !== undefined;
  const isSeen = part.kind === 'read' && isListed && held === undefined && isWhollySeen(part);
  // A copied folder with unknown contents may create any file in its target.
  const isOpen = part.kind === 'write' && part.below !== undefined && part.below() === undefined;
  const searched = isOpen ? { ...world, exists: () => true } : world;
  for (const { path, real } of [...places, ...(found ?? [])]) {
    for (const place of path === real ? [path] : [path, real]) {
      if (pattern.matches(place) || (part.deep !== 'no' && pattern.matches(`${place}/x`))) return speaks;
    }
  }
  for (const { path, real } of part.glob && found ? found : places) {
    for (const place of path === real ? [path] : [path, real]) {
      if (deep !== 'no' && !isSeen && holds(place, pattern, { ...part, deep }, searched))
        held ??= { rule, doubtful: 'such a file may lie in it' };
    }
  }
  return part.glob ? (objectsToGlob(part, part.glob, pattern, found !== undefined, speaks) ?? held) : held;
}

/** Checks the existing files, and the targets of links below. */
function objectsBelow(
  part: FilePart,
  pattern: PathPattern,
  rule: PermissionRule,
  world: SearchedWorld,
): RuleMatch | undefined {
  const { below, followsLinks = false, knowledge, deep, endings } = part;
  if (below === undefined) return undefined;
  const { paths, isComplete } = below() ?? { paths: [], isComplete: false };
  world.spend?.(Math.ceil(paths.length / PATHS_PER_STEP));
  if (paths.some((file) => pattern.matches(file)))
    return { rule, doubtful: 'such a file lies in it, or a link in it leads there' };
  if (isComplete) return undefined;
  if (knowledge !== 'known')
    return part.places?.some(({ path, real }) =>
      [path, real].some((at) =>
        pattern.mayFill(at, (file) => world.exists(file) && mayHaveEnding(file, endings, world)),
      ),
    )
      ? { rule, doubtful: 'it contains more files than can be looked at' }
      : undefined;
  if (followsLinks) return { rule, doubtful: 'it follows links among more files than can be looked at' };
  // A rule for a fixed place needs no look at the others.
  const isSkipped = deep === 'visible' && pattern.isHidden && !mayEndWith(pattern.lastName, endings);
  const mayLie = part.places?.some(({ path, real }) => [path, real].some((at) => mayLieBelow(at, pattern)));
  return deep !== 'no' && pattern.isSpread && mayLie !== false && !isSkipped
    ? { rule, doubtful: 'it contains more files than can be looked at' }
    : undefined;
}

function isWhollySeen({ below }: FilePart): boolean {
  const seen = below?.();
  return seen !== undefined && seen.isComplete && !seen.mayGrow;
}

/** The files of the history are unknown. Each file that the rule could match may be among them. */
function objectsToStored(
  { someTracked, isAddition = false }: StoredFiles,
  places: readonly FilePlace[],
  pattern: PathPattern,
  rule: PermissionRule,
): RuleMatch | undefined {
  const spellings = places.flatMap(({ path, real }) => (path === real ? [path] : [path, real]));
  if (spellings.some((place) => pattern.matches(place))) return { rule };
  const isIn = (file: string): boolean =>
    spellings.some((place) => file === place || file.startsWith(place === '/' ? place : `${place}/`));
  const mayHold = someTracked
    ? someTracked((file) => isIn(file) && pattern.matches(file), pattern)
    : spellings.some((place) => pattern.meets([...literalSegments(place), '**'], true, 'any'));
  const added =
    mayHold === 'unclear'
      ? 'git may store such a file, because there are more files than can be looked at'
      : 'git would store such a file';
  const doubtful = isAddition ? added : 'what git stored may show such a file';
  return mayHold === false ? undefined : { rule, doubtful };
}

/** A glob may match the files of a rule. If its matches are known and cannot change, they decide. */
function objectsToGlob(
  { deep, knowledge }: FilePart,
  glob: Glob,
  pattern: PathPattern,
  isFound: boolean,
  speaks: RuleMatch,
): RuleMatch | undefined {
  const isClear = isFound && glob.lasting;
  const shapes = glob.shapes(glob.optioned, deep);
  const meets = (which: 'sample' | 'any'): boolean =>
    shapes.some((shape) => pattern.meets(shape, glob.optioned, which));
  if ((glob.aims || !isClear) && meets('sample')) return speaks;
  if (glob.climbs) return { ...speaks, doubtful: 'the file that it accesses is unknown' };
  if (isClear || knowledge !== 'known') return undefined;
  return meets('any') ? { ...speaks, doubtful: 'it may touch such a file' } : undefined;
}

/** Returns the allow rule that covers a part. With `named`, a rule for a whole tool does not count. */
export function findCoveringRule(
  part: Part,
  rules: CompiledRules,
  which: 'any' | 'named' = 'any',
): PermissionRule | undefined {
  // Other names of a file add objections, but they need no rule of their own.
  if ('places' in part && part.places?.some(({ isOtherName }) => isOtherName) === true) {
    const places = part.places.filter(({ isOtherName }) => isOtherName !== true);
    return findCoveringRule({ ...part, places }, rules, which);
  }
  // After a `cd`, a file may be at one of several places. Each place needs a rule, not necessarily the same one.
  if ('places' in part && part.places !== undefined && part.places.length > 1) {
    const covers = part.places.map((place) => findCoveringRule({ ...part, places: [place] }, rules, which));
    return covers.every((cover) => cover !== undefined) ? covers[0] : undefined;
  }
  return candidates(part, rules).find(
    (compiled) => (which === 'any' || compiled.specifier !== undefined) && covers(part, compiled),
  )?.rule;
}

/** Returns the allow rule that covers a command and contains the name of a place in it. */
export function findNamingRule(
  { shown, namedBy = [] }: FilePart,
  { allowing }: CompiledRules,
): PermissionRule | undefined {
  return allowing.commands
    .among(namedBy)
    .find(
      ({ specifier }) =>
        specifier !== undefined &&
        namesPath(specifier.text, shown) &&
        namedBy.some((spelling) => specifier.command?.(spelling)),
    )?.rule;
}

/**
 * Returns whether the path is written in the rule as a whole: `/tmp/x` names neither `/tmp` nor `/`. Every word of a
 * rule without a wildcard is written in it.
 */
function namesPath(rule: string, shown: string): boolean {
  if (!rule.includes('*')) return rule.includes(shown);
  const withoutSlash = (path: string): string => path.replace(/(?<=[^/]|^\/)\/+$/, '');
  return rule.split(/[\s'"`()<>|;,&=:@{}]+/).some((word) => {
    // `/tmp/x*` begins with a path. `/tmp/*` names only the files in it.
    const path = word.replace(/(?<!\*)\*+$/, '');
    if (path !== word && path.endsWith('/')) return false;
    const attached = /^-[A-Za-z](?=[./~])/.exec(path)?.[0] ?? '';
    return withoutSlash(path.slice(attached.length)) === withoutSlash(shown);
  });
}

function candidates(part: Part, { allow, allowing }: CompiledRules): readonly CompiledRule[] {
  if (part.kind === 'command') return allowing.commands.among(part.cover);
  return part.kind === 'call' || part.kind === 'fetch' ? allow : allowing.files;
}

function covers(part: Part, compiled: CompiledRule): boolean {
  switch (part.kind) {
    case 'call':
      return coversCall(part, compiled);
    case 'command':
      return coversCommand(part, compiled);
    case 'fetch':
      return coversFetch(part, compiled);
    case 'read':
    case 'write':
    case 'remove':
      return coversFile(part, compiled);
  }
}

function coversCall({ tool, input }: CallPart, { names, specifier }: CompiledRule): boolean {
  if (specifier === undefined) return governingTools(tool).some(names);
  const name = calledName(tool, input);
  return names(tool) && name !== undefined && specifier.name?.(name) === true;
}

function coversCommand(part: CommandPart, { names, specifier }: CompiledRule): boolean {
  if (!names('Bash')) return false;
  if (specifier === undefined) return true;
  const hasStar = specifier.text.includes('*');
  const isOpen = hasStar && part.isNamedBy?.(wordsOfRule(specifier.text)) !== true;
  if (part.opaque !== undefined || (part.exactOnly !== undefined && isOpen)) return false;
  if (!part.cover.some((spelling) => specifier.command?.(spelling))) return false;
  return !hasStar || part.undoneBy?.(specifier.text) === undefined;
}

/** Returns why a rule does not cover a command although its text matches. */
export function findUndoneRule(part: CommandPart, { allowing }: CompiledRules): string | undefined {
  for (const { specifier, rule } of allowing.commands.among(part.cover)) {
    if (!part.cover.some((spelling) => specifier?.command?.(spelling))) continue;
    const word = specifier?.text.includes('*') === true ? part.undoneBy?.(specifier.text) : undefined;
    if (word !== undefined) return `${word} undoes what the rule ${rule.text} is limited to.`;
  }
  return undefined;
}

function coversFetch(part: FetchPart, { names, specifier }: CompiledRule): boolean {
  if (!names(part.tool)) return false;
  return specifier === undefined || (part.host !== '' && specifier.domain?.matches(part.host) === true);
}

/**
 * A link needs a match for its path and for its target. A rule for a whole tool covers only files of the working
 * directories. `authorize` enforces that with the concern of the part.
 */
function coversFile(part: FilePart, { names, specifier }: CompiledRule): boolean {
  const pattern = specifier?.path;
  if (specifier === undefined) return governingTools(part.tool).some(names);
  if (!pattern || !names(part.kind === 'read' ? 'Read' : 'Edit') || part.glob) return false;
  if (part.places === undefined || part.isUnsettled) return false;
  return part.places.every(
    ({ path, real }) =>
      pattern.matches(path) &&
      pattern.matches(real) &&
      (part.deep === 'no' || pattern.matches(`${path}/x/y`)),
  );
}
