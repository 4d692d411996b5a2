/**
 * What sandboxed commands may touch, as plain data: made from settings, rules and folders, and the same for every sandbox.
 * What may not be written wins over what may.
 */
import path from 'node:path';
import { compileRules } from '../../permission/rules/compile.ts';
import { domainName } from '../../permission/rules/domain.ts';
import { parseRule, type RuleList, type Rules } from '../../permission/rules/rule.ts';
import type { Ground } from './ground.ts';
import { guardedIn, guardedInGit, guardedInHome } from './guarded.ts';

export interface SandboxPolicy {
  /** Files and folders, with everything in them. */
  readonly writable: readonly string[];
  readonly unwritable: readonly string[];
  /** Patterns: what they match when a command starts cannot be written. */
  readonly unwritableLike: readonly PathKind[];
  /** Files, folders and globs. */
  readonly unreadable: readonly string[];
  /** Exceptions from that. */
  readonly readable: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}

interface PathKind {
  readonly glob: string;
  readonly matches: (path: string) => boolean;
}

export function policyOf(ground: Ground): SandboxPolicy {
  const { settings, repository, temp, home } = ground;
  const named = pathsOf(ground);
  const given = outermost(
    [ground.root, ...ground.directories, ...settings.filesystem.allowWrite, ...named.writable],
    ground,
  );
  // Only what a link leads to can be opened. None of these lies in another, so no command could have put the link there.
  const roots = unique(given.map((folder) => ground.realpath(folder)));
  const writable = unique([...roots, ...(repository ? [repository.folder] : []), temp]);
  const guarded = [
    ...roots.flatMap((folder) => guardedIn(folder, ground)),
    ...(repository ? guardedInGit(repository) : []),
    ...ground.namedByGit,
    ...guardedInHome(home, ground),
    ...ground.configDirs,
    ...settings.filesystem.denyWrite,
    ...named.unwritable,
  ];
  const domains = domainsOf(ground.rules);
  return {
    writable,
    // What lies outside needs no guard: nothing there can be written.
    unwritable: unique(guarded.map((file) => throughLinks(file, given, ground))).filter((file) =>
      isWithin(file, writable, ground),
    ),
    unwritableLike: named.unwritableLike,
    unreadable: unique([...settings.filesystem.denyRead, ...named.unreadable]),
    readable: settings.filesystem.allowRead,
    allowedDomains: unique([...settings.network.allowedDomains, ...domains.allowed]),
    deniedDomains: unique([...settings.network.deniedDomains, ...domains.denied]),
  };
}

/** Without those that lie in others. */
function outermost(folders: readonly string[], ground: Ground): string[] {
  return unique(folders).filter(
    (folder, _, all) => !all.some((other) => other !== folder && isWithin(folder, [other], ground)),
  );
}

/** In the folder that is meant, where one of the folders is a link. */
function throughLinks(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<Ground, 'realpath'>,
): string {
  const folder = folders.find((one) => file === one || file.startsWith(`${one}/`));
  return folder === undefined ? file : realpath(folder) + file.slice(folder.length);
}

/** By its name, by where that lies, or by what it points to. */
export function isWithin(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<Ground, 'realpath'>,
): boolean {
  const reals = folders.map(realpath);
  const lies = path.join(realpath(path.dirname(file)), path.basename(file));
  return [file, lies, realpath(file)].some((place) =>
    [...folders, ...reals].some(
      (folder) => place === folder || place.startsWith(folder.endsWith('/') ? folder : `${folder}/`),
    ),
  );
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The paths that permission rules for Read and Edit name, in a form that a sandbox can enforce. */
interface NamedPaths {
  readonly writable: readonly string[];
  readonly unwritable: readonly string[];
  readonly unwritableLike: readonly PathKind[];
  readonly unreadable: readonly string[];
}

function pathsOf(ground: Ground): NamedPaths {
  const { root, directories, home, configDirs, foldsCase, realpath } = ground;
  const { deny, allow } = compileRules(ground.rules, {
    root,
    cwd: root,
    directories,
    home,
    configDirs,
    foldsCase,
    realpath,
    exists: (path) => ground.kindOf(path) !== 'absent',
    list: () => undefined,
    entries: () => undefined,
    repository: () => 'unknown',
    gitIn: () => undefined,
    environment: {},
  });
  const patterns = deny.flatMap(({ names, specifier }) =>
    specifier?.path === undefined ? [] : [{ pattern: specifier.path, hides: names('Read') }],
  );
  const globs = patterns.flatMap(({ pattern, hides }) =>
    pattern.globs.map((glob) => ({
      glob: withoutTail(glob),
      hides,
      matches: (path: string) => pattern.matches(path),
    })),
  );
  return {
    // Rules are patterns, and only a place that is named in full can be opened.
    writable: allow
      .filter(({ names }) => names('Edit'))
      .flatMap(({ specifier }) => specifier?.path?.globs ?? [])
      .map(withoutTail)
      .filter((glob) => !isPattern(glob)),
    // What may not be read may not be changed either.
    unwritable: globs.map(({ glob }) => withoutDepth(glob)).filter((glob) => !isPattern(glob)),
    unwritableLike: globs.filter(({ glob }) => isPattern(glob)),
    unreadable: globs.filter(({ hides }) => hides).map(({ glob }) => glob),
  };
}

function domainsOf(rules: Rules): {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
} {
  const domains = (list: RuleList): string[] =>
    rules[list].flatMap(({ text }) => {
      const parsed = parseRule(text, list);
      const [, domain] = /^domain:(.+)$/.exec((parsed.ok && parsed.specifier) || '') ?? [];
      const name = domain === undefined ? undefined : domainName(domain);
      return parsed.ok && parsed.tool === 'WebFetch' && name !== undefined && isHost(name) ? [name] : [];
    });
  return { allowed: domains('allow'), denied: domains('deny') };
}

/** A host, or everything below one. Wildcards elsewhere mean something to rules that no sandbox knows. */
function isHost(domain: string): boolean {
  return /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(domain);
}

/** A folder means what is in it, too. */
function withoutTail(glob: string): string {
  return glob.replace(/(\/\*\*)+$/, '') || '/';
}

/** What is forbidden at any depth is forbidden at the top, existing or not. */
function withoutDepth(glob: string): string {
  return glob.replace('/**/', '/');
}

function isPattern(glob: string): boolean {
  return /[*?[\]\\]/.test(glob);
}
