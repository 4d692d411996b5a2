/** Settings in variables of the environment. Git reads them in every repository, as if they were in a file of the user. Pure. */
import type { FoundSettings, GitEnvironment, ScopedSetting } from './config-files.ts';
import type { GitSetting } from './config-text.ts';

/** Variables that replace a setting. Git also uses some that other programs read. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['GIT_EDITOR', 'core.editor'],
  ['VISUAL', 'core.editor'],
  ['EDITOR', 'core.editor'],
  ['GIT_SEQUENCE_EDITOR', 'sequence.editor'],
  ['GIT_PAGER', 'core.pager'],
  ['PAGER', 'core.pager'],
  ['GIT_ASKPASS', 'core.askpass'],
  ['SSH_ASKPASS', 'core.askpass'],
  ['GIT_SSH', 'core.sshcommand'],
  ['GIT_SSH_COMMAND', 'core.sshcommand'],
  ['GIT_PROXY_COMMAND', 'core.gitproxy'],
  ['GIT_EXTERNAL_DIFF', 'diff.external'],
  ['GIT_TEMPLATE_DIR', 'init.templatedir'],
]);

/** Variables that name no program: persons, names in the history, data that git writes. Others are read elsewhere. */
const WITHOUT_PROGRAM =
  /^GIT_((AUTHOR|COMMITTER|CONFIG|TRACE|TRACE2|PS1)_\w+|TRACE2?|DIR|WORK_TREE|COMMON_DIR|EXEC_PATH|INDEX_FILE|(ALTERNATE_)?OBJECT_DIRECTOR(Y|IES)|CEILING_DIRECTORIES|PREFIX|NAMESPACE|REFLOG_ACTION|BRANCH|COMMIT|URL|SHA|TAG)$/;

/** A value that is not a name. */
const SWITCH = /^(\d+|true|false|yes|no|on|off)$/i;

/**
 * Returns the settings in variables. Any other variable of git counts as a setting that may name a program. Not complete: git may
 * read other settings.
 */
export function settingsOfVariables(environment: GitEnvironment): FoundSettings {
  const { GIT_CONFIG_PARAMETERS: parameters = '' } = environment;
  const parsed = parseParameters(parameters);
  const found = Object.entries(environment).flatMap(([name, value = '']): readonly GitSetting[] => {
    const [, number] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
    if (number !== undefined)
      return [{ key: canonicalKey(value), value: environment[`GIT_CONFIG_VALUE_${number}`] }];
    const isProgram = name.startsWith('GIT_') && !WITHOUT_PROGRAM.test(name) && !SWITCH.test(value);
    const key = SETTINGS.get(name) ?? (isProgram ? name : undefined);
    return key === undefined || value === '' ? [] : [{ key, value }];
  });
  const settings = [...found, ...(parsed ?? [])].map(
    ({ key, value }): ScopedSetting => ({ key, value, scope: 'user', file: undefined }),
  );
  // Versions of git differ in whether they use a working tree that a variable sets.
  const isComplete = parsed !== undefined && !settings.some(({ key }) => key === 'core.worktree');
  return { settings, isComplete };
}

/** Section and name have no case, but the part between them has. */
function canonicalKey(written: string): string {
  const [first, last] = [written.indexOf('.'), written.lastIndexOf('.')];
  return first < 0
    ? written.toLowerCase()
    : written.slice(0, first).toLowerCase() + written.slice(first, last) + written.slice(last).toLowerCase();
}

const QUOTED = String.raw`'((?:[^']|'\\[!']')*)'`;
const PARAMETER = new RegExp(` *${QUOTED}(=(?:${QUOTED})?)?(?= |$)`, 'y');

/** Parses `'key'='value' 'key=value'`, in which git hands the options `-c` to programs that it runs. Undefined for another form. */
function parseParameters(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  const source = text.trimEnd();
  const plain = (quoted: string): string => quoted.replace(/'\\([!'])'/g, '$1');
  for (let at = 0; at < source.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const [matched, key = '', assigned, value] = PARAMETER.exec(source) ?? [];
    if (matched === undefined) return undefined;
    const [, name = '', older] = /^([^=]*)(?:=(.*))?$/s.exec(plain(key)) ?? [];
    settings.push(
      assigned === undefined
        ? { key: canonicalKey(name), value: older }
        : { key: canonicalKey(plain(key)), value: plain(value ?? '') },
    );
  }
  return settings;
}
