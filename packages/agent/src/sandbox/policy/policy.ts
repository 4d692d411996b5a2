/**
 * Computes the access of sandboxed commands as plain data, from settings, rules and folders. It is the same for every
 * sandbox. Unwritable paths take precedence over writable ones.
 */
import path from 'node:path';
import { omitUndefined } from '@heddle/core';
import { presentSecrets } from '../../permission/paths/secret-files.ts';
import { compileRules } from '../../permission/rules/compile.ts';
import { domainName } from '../../permission/rules/domain.ts';
import { parseRule, type RuleList, type Rules } from '../../permission/rules/rule.ts';
import type { PolicyInput } from './ground.ts';
import { guardedIn, guardedInGit, guardedInHome } from './guarded.ts';

export interface SandboxPolicy {
  /** Files and folders, including their contents. */
  readonly writable: readonly string[];
  readonly unwritable: readonly string[];
  /** Absent files that a command can create. They are taken away at its end. */
  readonly takenAway?: readonly string[];
  /** Patterns whose matches are unwritable. They are resolved when a command starts. */
  readonly unwritableLike: readonly PathKind[];
  /** Files, folders and globs. */
  readonly unreadable: readonly string[];
  /** Exceptions from `unreadable`. */
  readonly readable: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}

interface PathKind {
  readonly glob: string;
  readonly matches: (path: string) => boolean;
}

export function computePolicy(input: PolicyInput): SandboxPolicy {
  const { settings, repository, temp, home } = input;
  const named = pathsOf(input);
  const given = outermost(
    [input.root, ...input.directories, ...settings.filesystem.allowWrite, ...named.writable],
    input,
  );
  // A sandbox can open only the target of a link. No root is inside another one, so no command could have made the
  // link.
  const roots = unique(given.map((folder) => input.realpath(folder)));
  const writable = unique([...roots, ...(repository ? [repository.folder] : []), temp]);
  const guarded = [
    ...roots.flatMap((folder) => guardedIn(folder, input)),
    ...(repository ? guardedInGit(repository) : []),
    ...input.namedByGit,
    ...input.programs,
    ...guardedInHome(home, input),
    ...input.configDirs,
    ...settings.filesystem.denyWrite,
    ...named.unwritable,
  ];
  const domains = domainsOf(input.rules);
  return {
    writable,
    // Paths outside of the writable folders need no guard.
    unwritable: unique(guarded.map((file) => throughLinks(file, given, input))).filter((file) =>
      isWithin(file, writable, input),
    ),
    unwritableLike: named.unwritableLike,
    unreadable: unique([
      ...settings.filesystem.denyRead,
      ...named.unreadable,
      ...presentSecrets({ ...input, exists: (file) => input.kindOf(file) !== 'absent' }),
    ]),
    readable: settings.filesystem.allowRead,
    allowedDomains: unique([...settings.network.allowedDomains.map(domainName), ...domains.allowed]),
    deniedDomains: unique([...settings.network.deniedDomains.map(domainName), ...domains.denied]),
  };
}

/** Removes folders that are inside others. */
function outermost(folders: readonly string[], input: PolicyInput): string[] {
  return unique(folders).filter(
    (folder, _, all) => !all.some((other) => other !== folder && isWithin(folder, [other], input)),
  );
}

/** Resolves a path through the given folder that contains it, if that folder is a link. */
function throughLinks(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<PolicyInput, 'realpath'>,
): string {
  const folder = folders.find((one) => file === one || file.startsWith(`${one}/`));
  return folder === undefined ? file : realpath(folder) + file.slice(folder.length);
}

/** Compares the path as written, its real folder, and its link target. */
export function isWithin(
  file: string,
  folders: readonly string[],
  { realpath }: Pick<PolicyInput, 'realpath'>,
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

function pathsOf(input: PolicyInput): NamedPaths {
  const { root, directories, home, configDirs, foldsCase, realpath } = input;
  const { deny, allow } = compileRules(input.rules, {
    root,
    cwd: root,
    directories,
    home,
    configDirs,
    foldsCase,
    realpath,
    exists: (path) => input.kindOf(path) !== 'absent',
    list: () => undefined,
    entries: () => undefined,
    repository: () => 'unknown',
    ...omitUndefined({ workingTrees: input.workingTrees }),
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
    // Rules are patterns, and only a literal path can be opened.
    writable: allow
      .filter(({ names }) => names('Edit'))
      .flatMap(({ specifier }) => specifier?.path?.globs ?? [])
      .map(withoutTail)
      .filter((glob) => !isPattern(glob)),
    // A file that may not be read may not be changed either.
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

/** Accepts a host, or all subdomains of one. Sandboxes do not support wildcards in other positions. */
function isHost(domain: string): boolean {
  return /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(domain);
}

/** A folder includes its contents. */
function withoutTail(glob: string): string {
  return glob.replace(/(\/\*\*)+$/, '') || '/';
}

/** A name that is forbidden at any depth is also forbidden at the top, existing or not. */
function withoutDepth(glob: string): string {
  return glob.replace('/**/', '/');
}

function isPattern(glob: string): boolean {
  return /[*?[\]\\]/.test(glob);
}
