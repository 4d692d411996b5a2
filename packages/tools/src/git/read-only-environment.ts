/**
 * Variables for commands that were proven to only read. A second guard: if a setting was missed, or
 * changes between decision and start, git still refreshes no index, fetches nothing, and starts no pager,
 * monitor, hook or signature checker.
 */

const VARIABLES = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // No protocol has this name, so none is allowed.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
} as const;

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['log.showSignature', 'false'],
  ['status.submoduleSummary', 'false'],
  ['diff.submodule', 'short'],
  // `git diff` writes a refreshed index regardless of GIT_OPTIONAL_LOCKS.
  ['diff.autoRefreshIndex', 'false'],
  ['submodule.recurse', 'false'],
  ...['program', 'openpgp.program', 'x509.program', 'ssh.program'].map(
    (name) => [`gpg.${name}`, 'false'] as const,
  ),
];

/** Exactly one plain `git config`: a word in a comment or another command must not disable the guard. */
const PRINTS_SETTINGS = /^\s*git([ \t]+-C[ \t]+[\w./-]+)?[ \t]+config([ \t]+[\w./:@=-]+)*\s*$/;

/** `git config` prints settings. There, settings from the environment would be a wrong answer. */
export function readOnlyGitEnvironment(command: string): Readonly<Record<string, string>> {
  if (PRINTS_SETTINGS.test(command)) return VARIABLES;
  const variables: Record<string, string> = { ...VARIABLES, GIT_CONFIG_COUNT: String(SETTINGS.length) };
  SETTINGS.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}
