/**
 * Variables for commands that were proven to only read. A second guard: if a setting was missed, or changes between the decision
 * and the start, git still refreshes no index, fetches nothing, starts no pager, monitor, hook or signature checker.
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
  // `git diff` writes a refreshed index whatever GIT_OPTIONAL_LOCKS says.
  ['diff.autoRefreshIndex', 'false'],
  ['submodule.recurse', 'false'],
  ...['program', 'openpgp.program', 'x509.program', 'ssh.program'].map(
    (name) => [`gpg.${name}`, 'false'] as const,
  ),
];

/** One plain `git config` and nothing else: a word in a comment or another command must not switch the guard off. */
const PRINTS_SETTINGS = /^\s*git(\s+-C\s+[\w./-]+)?\s+config(\s+[\w./:@=-]+)*\s*$/;

/** `git config` prints settings: there, those from the environment would be a wrong answer. */
export function readOnlyGitEnvironment(command: string): Readonly<Record<string, string>> {
  if (!/\bgit\b/.test(command)) return {};
  if (PRINTS_SETTINGS.test(command)) return VARIABLES;
  const variables: Record<string, string> = { ...VARIABLES, GIT_CONFIG_COUNT: String(SETTINGS.length) };
  SETTINGS.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}
