/** Permission rules as a sandbox can keep them: paths of Read and Edit, hosts of WebFetch. */
import { compileRules } from '../../permission/rules/compile.ts';
import { domainName } from '../../permission/rules/domain.ts';
import { parseRule, type RuleList, type Rules } from '../../permission/rules/rule.ts';
import type { Ground, PathKind } from './policy.ts';

export interface NamedPaths {
  readonly writable: readonly string[];
  readonly unwritable: readonly string[];
  readonly unwritableLike: readonly PathKind[];
  readonly unreadable: readonly string[];
}

export function pathsOf(ground: Ground): NamedPaths {
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

export function domainsOf(rules: Rules): {
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
