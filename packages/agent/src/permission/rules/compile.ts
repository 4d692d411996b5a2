/**
 * Compiles rules for matching, once per set of rules, so that a decision does not parse five hundred patterns again.
 */
import path from 'node:path';
import type { WorkingTrees } from '@heddle/tools/git';
import type { PermissionWorld } from '../world.ts';
import {
  type CommandDoubt,
  commandDoubt,
  type CommandIndex,
  commandIndex,
  type CommandPattern,
  commandPattern,
  namePattern,
} from './command-pattern.ts';
import { type DomainPattern, domainPattern } from './domain.ts';
import { copiesOf, mountedCopiesOf, placeOf, withMoved } from './copies.ts';
import {
  type Anchors,
  anchored,
  anchoredPattern,
  type AnchoredPattern,
  type PathPattern,
} from './path-pattern.ts';
import { parseRule, type PermissionRule, type RuleList, type Rules } from './rule.ts';
import { isAboutFiles, specifierOfPath, spellingsOf } from './spellings.ts';
import { mainField, mayNameShortened, RESOURCES, toolMatcher } from './tool-names.ts';
import { type Matcher, wildcardMatcher } from './wildcard.ts';

export interface CompiledRule {
  readonly rule: PermissionRule;
  /** Returns whether the tool position of the rule matches this tool. */
  readonly names: (tool: string) => boolean;
  /** Returns whether the tool position may match the name that this shortened name replaces. Only in deny and ask. */
  readonly mayName: (tool: string) => boolean;
  /** Undefined for a rule about the whole tool. */
  readonly specifier: Specifier | undefined;
}

interface Specifier {
  readonly text: string;
  readonly command: CommandPattern | undefined;
  /** Only in deny and ask. */
  readonly doubt: CommandDoubt | undefined;
  readonly path: PathPattern | undefined;
  readonly domain: DomainPattern | undefined;
  readonly name: ((name: string) => boolean) | undefined;
  /** `Tool(param:value)`, only in deny and ask. */
  readonly param: { readonly name: string; readonly value: Matcher } | undefined;
}

export interface CompiledRules extends Readonly<Record<RuleList, readonly CompiledRule[]>> {
  /**
   * Returns whether any path rule of the list may match a path. Most paths match no rule, so one fast test is enough.
   */
  readonly concerns: (list: 'deny' | 'ask', path: string) => boolean;
  /** The number of path rules without a fixed name. Each of them is compared with every path. */
  readonly unnamed: Readonly<Record<'deny' | 'ask', number>>;
  /** A deny or ask rule is about reading some files. */
  readonly restrictsReading: boolean;
  /** The deny and ask rules, by the kind of part that they can match. */
  readonly objecting: Readonly<Record<'deny' | 'ask', ObjectingRules>>;
  /** The allow rules that can cover a command, and those that can cover a file. */
  readonly allowing: {
    readonly commands: CommandIndex<CompiledRule>;
    readonly files: readonly CompiledRule[];
  };
}

export interface ObjectingRules {
  readonly commands: CommandIndex<CompiledRule>;
  readonly calls: readonly CompiledRule[];
  readonly fetches: readonly CompiledRule[];
  readonly files: readonly CompiledRule[];
}

interface KnownRules {
  readonly key: string;
  /** The folders whose repositories the deny and ask rules may concern. */
  readonly places: readonly string[];
  readonly trees: string;
  readonly rules: CompiledRules;
}

const compiled = new WeakMap<Rules, KnownRules>();

/** `touched`: files of the call. They may be in a working tree whose repository does not know its place. */
export function compileRules(
  rules: Rules,
  world: PermissionWorld,
  touched: () => readonly string[] = () => [],
): CompiledRules {
  const key = JSON.stringify([world.root, world.directories, world.home, world.foldsCase]);
  const before = compiled.get(rules);
  const known = before?.key === key ? before : undefined;
  const places = known?.places ?? concernedPlaces(rules, world);
  // Working trees come and go while the rules stay.
  const copied = places.length === 0 ? [] : treesAt(places, touched(), world);
  const mounted = places.flatMap((place) => world.mountedBelow?.(world.realpath(place)) ?? []);
  const trees = JSON.stringify([copied, mounted]);
  if (known?.trees === trees) return known.rules;
  const list = (name: RuleList) =>
    rules[name].flatMap((rule) => [
      ...compileRule(rule, name, world),
      ...(name === 'allow' ? [] : compileCopies(rule, name, copied, world)),
    ]);
  const fresh = indexedRules({ deny: list('deny'), ask: list('ask'), allow: list('allow') }, world);
  compiled.set(rules, { key, places, trees, rules: fresh });
  return fresh;
}

/** Compiles ask rules of the program itself. They do not apply to copies in other working trees. */
export function compileOwnRules(ask: readonly PermissionRule[], world: PermissionWorld): CompiledRules {
  const compiledAsk = ask.flatMap((rule) => compileRule(rule, 'ask', world));
  return indexedRules({ deny: [], ask: compiledAsk, allow: [] }, world);
}

function indexedRules(
  { deny, ask, allow }: Readonly<Record<RuleList, readonly CompiledRule[]>>,
  world: PermissionWorld,
): CompiledRules {
  const concerned = { deny: pathTest(deny, world), ask: pathTest(ask, world) };
  return {
    deny,
    ask,
    allow,
    objecting: { deny: byKind(deny), ask: byKind(ask) },
    allowing: {
      commands: indexed(allow.filter(({ names }) => names('Bash'))),
      files: allow.filter(({ specifier }) => specifier === undefined || specifier.path !== undefined),
    },
    concerns: (name, path) => concerned[name](path),
    unnamed: { deny: countUnnamed(deny), ask: countUnnamed(ask) },
    restrictsReading: [...deny, ...ask].some(({ names, specifier }) => specifier?.path && names('Read')),
  };
}

/** Returns the patterns of a rule about files. Empty for other rules. */
function filePatterns(
  rule: PermissionRule,
  list: RuleList,
  world: PermissionWorld,
): readonly AnchoredPattern[] {
  const specifier = specifierOfPath(rule.text, list);
  if (specifier === undefined) return [];
  const anchors = anchorsOf(rule, list, world);
  const kind = list === 'allow' ? 'allow' : 'deny';
  return spellingsOf(specifier, kind).map((spelling) => anchored(spelling, kind, anchors));
}

/** A pattern may start with a wildcard above a working directory. */
function concernedPlaces(rules: Rules, world: PermissionWorld): readonly string[] {
  const patterns = (['deny', 'ask'] as const).flatMap((list) =>
    rules[list].flatMap((rule) => filePatterns(rule, list, world)),
  );
  if (patterns.length === 0) return [];
  return [...new Set([world.root, ...world.directories, ...patterns.flatMap(placeOf)])];
}

function treesAt(
  places: readonly string[],
  touched: readonly string[],
  world: PermissionWorld,
): readonly WorkingTrees[] {
  const around = (files: readonly string[]): readonly WorkingTrees[] => {
    const found = files.flatMap((file) => world.workingTrees?.(file) ?? []);
    return [...new Map(found.map((trees) => [trees.top, trees])).values()];
  };
  return withMoved(around(places), around(touched)).filter(({ others }) => others.length > 0);
}

/** A rule that forbids a file, or asks about it, also applies to the copies of that file in other working trees and to its names in other mounts. */
function compileCopies(
  rule: PermissionRule,
  list: 'deny' | 'ask',
  trees: readonly WorkingTrees[],
  world: PermissionWorld,
): CompiledRule[] {
  const patterns = filePatterns(rule, list, world);
  const inTrees = patterns.flatMap((pattern) => copiesOf(pattern, trees, world.foldsCase));
  const inMounts = [...patterns, ...inTrees].flatMap((pattern) => mountedCopiesOf(pattern, world));
  const copies = [...inTrees, ...inMounts];
  if (copies.length === 0) return [];
  return compileRule(rule, list, world)
    .slice(0, 1)
    .flatMap((compiledRule) => withPaths(compiledRule, copies, 'deny', world));
}

function indexed(rules: readonly CompiledRule[]): CommandIndex<CompiledRule> {
  return commandIndex(rules, ({ specifier }) => specifier?.text);
}

function byKind(rules: readonly CompiledRule[]): ObjectingRules {
  return {
    commands: indexed(rules.filter(({ specifier }) => specifier?.command)),
    // A rule without a specifier is about the whole tool, so it matches the call itself.
    calls: rules.filter(({ specifier }) => !specifier || specifier.param || specifier.name),
    fetches: rules.filter(({ specifier }) => specifier?.domain),
    files: rules.filter(({ specifier }) => specifier?.path),
  };
}

function countUnnamed(rules: readonly CompiledRule[]): number {
  return rules.filter(({ specifier }) => specifier?.path?.needle === '').length;
}

/** Tests many patterns at once. Most contain a literal name, so the names of the path select the candidates. */
function pathTest(rules: readonly CompiledRule[], { foldsCase }: PermissionWorld): (path: string) => boolean {
  const byName = new Map<string, PathPattern[]>();
  const others: PathPattern[] = [];
  for (const { specifier } of rules) {
    const pattern = specifier?.path;
    if (pattern === undefined) continue;
    if (pattern.needle === '') others.push(pattern);
    else byName.set(pattern.needle, [...(byName.get(pattern.needle) ?? []), pattern]);
  }
  if (byName.size === 0 && others.length === 0) return () => false;
  return (path) => {
    if (others.some((pattern) => pattern.matches(path))) return true;
    const names = (foldsCase ? path.toLowerCase() : path).split('/').filter((name) => byName.has(name));
    // Each name once, because a long path may repeat one.
    return [...new Set(names)].some((name) => byName.get(name)?.some((pattern) => pattern.matches(path)));
  };
}

/** Returns the rule once for each of its patterns. */
function withPaths(
  { specifier, ...about }: CompiledRule,
  patterns: readonly AnchoredPattern[],
  list: 'allow' | 'deny',
  world: PermissionWorld,
): CompiledRule[] {
  if (specifier === undefined) return [];
  return patterns.map((pattern) => ({
    ...about,
    specifier: { ...specifier, path: anchoredPattern(pattern, list, world) },
  }));
}

/** Returns an empty list for a rule that can never match. */
function compileRule(rule: PermissionRule, list: RuleList, world: PermissionWorld): CompiledRule[] {
  const parsed = parseRule(rule.text, list);
  if (!parsed.ok) return [];
  const { tool, specifier } = parsed;
  const one: CompiledRule = {
    rule,
    names: toolMatcher(tool, list),
    mayName: list === 'allow' ? () => false : (name) => mayNameShortened(tool, name),
    specifier: specifier === undefined ? undefined : compileSpecifier(tool, specifier, list, world.root),
  };
  const patterns = filePatterns(rule, list, world);
  return patterns.length === 0 ? [one] : withPaths(one, patterns, list === 'allow' ? 'allow' : 'deny', world);
}

/** The patterns of a rule about files are added later. */
function compileSpecifier(tool: string, text: string, list: RuleList, root: string): Specifier {
  const [, param, value] = /^([A-Za-z_]\w*):([\s\S]*)$/.exec(text) ?? [];
  const fetches = tool === 'WebFetch';
  // `Agent(subagent_type:reviewer)` means the same as `Agent(reviewer)`.
  const named = list !== 'allow' && param !== undefined && param === mainField(tool);
  return {
    text,
    command: tool === 'Bash' ? commandPattern(text, list, root) : undefined,
    doubt: tool === 'Bash' && list !== 'allow' ? commandDoubt(text) : undefined,
    path: undefined,
    domain: fetches && param === 'domain' ? domainPattern(value ?? '') : undefined,
    name:
      !isAboutFiles(tool) && !fetches && tool !== 'Bash'
        ? nameMatcher(named ? (value ?? '') : text, list, tool)
        : undefined,
    param:
      list === 'allow' || param === undefined || value === undefined || (fetches && param === 'domain')
        ? undefined
        : { name: param, value: wildcardMatcher(value) },
  };
}

function anchorsOf(rule: PermissionRule, list: RuleList, world: PermissionWorld): Anchors {
  const both = (folder: string) => [...new Set([folder, world.realpath(folder)])];
  const { root = world.root, base = root, source } = rule;
  // The author of a project's settings had the files beside them in mind, the user who starts below has those here.
  const isOfProject = list !== 'allow' && (source === 'project' || source === 'local');
  return {
    roots: [...new Set([...both(root), ...(isOfProject ? both(base) : [])])],
    others: world.directories.flatMap(both),
    homes: both(world.home),
    bases: both(base),
    foldsCase: world.foldsCase,
  };
}

/**
 * Matches `name`, or with `name *` and `name:*` the name with any continuation. Skills and agents are found without regard to
 * case, so deny and ask rules match without it.
 */
function nameMatcher(text: string, list: RuleList, tool: string): (name: string) => boolean {
  // A URI has no words, in which quotes would not count.
  if (tool === RESOURCES && list === 'allow' && !text.includes('*')) return (name) => name === text;
  const spelled = list === 'allow' ? (name: string) => name : (name: string) => name.toLowerCase();
  const matches = namePattern(spelled(text));
  // `git:*` may also mean all names that start with `git:`.
  const asWritten = list === 'allow' ? () => false : wildcardMatcher(spelled(text));
  return (name) => {
    const wanted = spelled(name);
    return matches({ canonical: wanted, written: wanted }) || asWritten(wanted);
  };
}

/** Returns a test for files that rules of these lists forbid to show. Searches leave out those of deny rules. */
export function deniedFiles(
  rules: Rules,
  world: PermissionWorld,
  lists: readonly ('deny' | 'ask')[],
): (file: string) => boolean {
  // A working tree that was moved is found from its files.
  const tops = new Set<string>();
  let isDenied = deniedIn(rules, world, lists, []);
  return (file) => {
    const top = world.workingTrees?.(path.posix.dirname(file))?.top;
    if (top !== undefined && !tops.has(top)) {
      tops.add(top);
      isDenied = deniedIn(rules, world, lists, [...tops]);
    }
    return isDenied(file) || world.otherNames?.(file).some(isDenied) === true;
  };
}

function deniedIn(
  rules: Rules,
  world: PermissionWorld,
  lists: readonly ('deny' | 'ask')[],
  touched: readonly string[],
): (file: string) => boolean {
  const compiled = compileRules(rules, world, () => touched);
  const tests = lists.flatMap((list) => {
    const about = compiled[list].filter(({ names }) => names('Read'));
    // A rule without a pattern is about every file.
    if (about.some(({ specifier }) => specifier === undefined)) return () => true;
    const patterns = about.flatMap(({ specifier }) => specifier?.path ?? []);
    if (patterns.length === 0) return [];
    return (file: string) =>
      compiled.concerns(list, file) && patterns.some((pattern) => pattern.matches(file));
  });
  return (file) => tests.some((test) => test(file));
}
