/**
 * Settings in the words of a `git` command: those that it uses (`-c key=value`), and those that it changes. Many settings
 * name a program that git runs, so only settings that are known to be harmless count as such.
 */
import { isHarmlessSetting } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import { isSettingOff } from '../../git-printing.ts';
import { type GitArguments, gitArguments } from './git-arguments.ts';
import { HERE, literalWord, partOfWord, type Touch, touch, unknownWord } from './touch.ts';
import { optionPattern, shortOption } from '../short-options.ts';

/** Settings for names, output and common choices. None of them names a program, a file or another setting. */
const HARMLESS =
  /^(user\.(name|email|useconfigonly)|(author|committer)\.(name|email)|(color|column|advice)\..+|init\.defaultbranch|push\.(default|autosetupremote|followtags)|pull\.(rebase|ff|octopus)|fetch\.(prune|prunetags|parallel|all)|rebase\.(autosquash|autostash|updaterefs|stat)|merge\.(ff|conflictstyle|log|renames|renamelimit|stat)|rerere\.(enabled|autoupdate)|commit\.(verbose|cleanup|status)|(branch|tag)\.sort|branch\..+\.(remote|merge|rebase|description)|branch\.autosetup\w+|safe\.directory|http\.(extraheader|postbuffer|lowspeed\w+|version)|core\.(quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|whitespace|longpaths|compression|preloadindex|untrackedcache|symlinks|precomposeunicode|fsmonitor|commentchar)|diff\.(?!orderfile$)[a-z]+|log\.[a-z]+|status\.[a-z]+|blame\.(?!ignorerevsfile$)[a-z]+|grep\.[a-z]+|i18n\.[a-z]+|gc\.(auto|autodetach)|protocol\.version|index\.[a-z]+|pack\.[a-z]+|checkout\.[a-z]+|versionsort\..+|submodule\.(recurse|fetchjobs))$/;
/** Settings that name a program, with values that do nothing or only print. */
const HARMLESS_PROGRAMS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(core\.pager|pager\.[\w-]+)$/, /^(cat|less|false|true|)$/],
  [/^(core|sequence)\.editor$/, /^(true|false|:|cat)$/],
  [/^(commit|tag|push)\.gpgsign$/, /^(false|no|off|0)$/],
  [/^(credential\.helper|core\.(askpass|hookspath))$/, /^(\/dev\/null|)$/],
];

function isHarmlessConfig(key: string, value: string | undefined): boolean {
  const [, section = '', middle = '', name = ''] = /^([\w-]+)(\..*)?\.([\w-]+)$/s.exec(key) ?? [];
  const plain = `${section.toLowerCase()}${middle}.${name.toLowerCase()}`;
  if (HARMLESS_PROGRAMS.some(([keys, values]) => keys.test(plain) && values.test(value ?? ''))) return true;
  return HARMLESS.test(plain) && isHarmlessSetting(plain, value);
}

/** Settings with which no command of git shows a line of a file that it does not show without them. */
const QUIET =
  /^(user\.\w+|(author|committer)\.(name|email)|(color|column|advice|push|pull|fetch|rerere|i18n|gc|pack|index|versionsort|safe|credential|pager|http|protocol|gpg|alias)\..+|init\.defaultbranch|rebase\.(autosquash|autostash|updaterefs|stat|abbreviatecommands)|merge\.(ff|conflictstyle|log|renames|renamelimit|stat|verbosity|autostash)|commit\.(cleanup|status|gpgsign)|(branch|tag)\.\w+|branch\..+\.(remote|pushremote|merge|rebase|description)|core\.(quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|whitespace|longpaths|compression|preloadindex|untrackedcache|symlinks|precomposeunicode|fsmonitor|commentchar|pager|editor|hookspath|askpass|sshcommand)|sequence\.editor|diff\.(algorithm|renames|renamelimit|mnemonicprefix|noprefix|context|interhunkcontext|colormoved|colormovedws|indentheuristic|statgraphwidth|wserrorhighlight|tool|guitool)|log\.(date|decorate|abbrevcommit|showroot|mailmap|graphcolors|excludedecoration)|status\.[a-z]+|blame\.(date|showemail|showroot|blankboundary|coloring)|grep\.(linenumber|column|patterntype|extendedregexp|threads|fullname)|checkout\.[a-z]+|submodule\.fetchjobs)$/;

/** A setting that is off shows nothing. */
function mayShowLines(key: string, value: string | undefined): boolean {
  return !QUIET.test(key.toLowerCase()) && !isSettingOff(value);
}

/** Returns whether a setting of the command line, or one that `git config` changes, may make git show lines of files. */
export function mayShowBySetting(args: readonly ShellWord[]): boolean {
  const { command, rest } = gitArguments(args);
  const before = args.slice(0, args.length - rest.length);
  const isShown = before.some((word, index) => {
    if (word.value.startsWith('--config-env')) return true;
    if (before[index - 1]?.value !== '-c') return false;
    const text = word.kind === 'literal' ? word.value : word.prefix;
    const at = text.indexOf('=');
    if (word.kind !== 'literal') return at < 0 || mayShowLines(text.slice(0, at), undefined);
    return at < 0 ? mayShowLines(text, undefined) : mayShowLines(text.slice(0, at), text.slice(at + 1));
  });
  if (isShown || command !== 'config' || rest.some(({ value }) => READS.test(value))) return isShown;
  const [key, value] = rest.filter((word) => !word.value.startsWith('-') && !WRITES.test(word.value));
  const isUnset = rest.some((word) => /^(unset|--unset(-all)?)$/.test(word.value));
  if (key === undefined || (value === undefined && !isUnset)) return false;
  return key.kind !== 'literal' || mayShowLines(key.value, isUnset ? undefined : value?.value);
}

/** Commands that run a program from their words or settings. */
const RUNNING: ReadonlyMap<string, RegExp> = new Map([
  ['bisect', /^(run|view|visualize)$/],
  ['submodule', /^foreach$/],
  ['submodule--helper', /^foreach$/],
  ['hook', /^run$/],
  ['for-each-repo', /^/],
  ['send-email', /^/],
  ['filter-branch', /^/],
  ['remote-ext', /^/],
  ['merge-index', /^/],
  ['web--browse', /^/],
  ['instaweb', /^/],
  ['shell', /^/],
  ['daemon', /^--ac/],
  ['verify-commit', /^/],
  ['verify-tag', /^/],
  ['init', /^--te/],
  ['clone', /^--te/],
]);

/** Options whose value is part of the name of a program. The listed values are programs of git itself. */
const NAMING_PROGRAMS: readonly {
  readonly commands: RegExp;
  readonly option: RegExp;
  readonly known: RegExp;
}[] = [
  {
    commands: /^(merge|pull|rebase)$/,
    option: optionPattern({ letters: 's', valued: 'FSX', long: 'strategy(?:=|$)' }),
    known: /^(?:ort|recursive|resolve|octopus|ours|subtree)$/,
  },
  {
    commands: /^(cherry-pick|revert)$/,
    option: /^--strategy(?:=|$)/,
    known: /^(?:ort|recursive|resolve|octopus|ours|subtree)$/,
  },
  // A name with a folder leads from git's own folder to any script.
  {
    commands: /^(difftool|mergetool)$/,
    option: optionPattern({ letters: 't', valued: 'x', long: 'tool\\w*(?:=|$)' }),
    known: /^[^/]*$/,
  },
];

function namesOtherProgram(command: string, value: string, next: string): boolean {
  return NAMING_PROGRAMS.some(({ commands, option, known }) => {
    const [found] = commands.test(command) ? (option.exec(value) ?? []) : [];
    if (found === undefined) return false;
    const isAttached = value.length > found.length || found.endsWith('=');
    return !known.test(isAttached ? value.slice(found.length) : next);
  });
}

/** `git clone -4c a=b`, `--config=a=b`. */
const CLONE_SETTING = new RegExp(`^(?:${shortOption('c', 'bjou')}|--c[a-z]*(?:=|$))(.*)$`, 's');

/** Returns the word that makes git run another program: a setting, an address, a command, or a format with signatures. */
export function findProgramWord(args: readonly ShellWord[]): ShellWord | undefined {
  const { command, rest } = gitArguments(args);
  const start = args.length - rest.length;
  return args.find((word, index) => {
    const { value } = word;
    const before = args[index - 1]?.value ?? '';
    const isSetting =
      (index < start && before === '-c') ||
      (command === 'clone' && index >= start && CLONE_SETTING.exec(before)?.[1] === '');
    if (isSetting && !isHarmlessPair(word)) return true;
    const [, attached] = command === 'clone' && index >= start ? (CLONE_SETTING.exec(value) ?? []) : [];
    if (attached) return !isHarmlessPair(partOfWord(word, attached));
    if (index < start && /^--(exec-path=|config-env)/.test(value)) return true;
    if (/(^|=)ext::/.test(value)) return true;
    if (index < start) return false;
    if (RUNNING.get(command)?.test(value)) return true;
    if (namesOtherProgram(command, value, args[index + 1]?.value ?? '')) return true;
    if (/^--(format|pretty|sort)/.test(value) || /^--(format|pretty|sort)$/.test(before))
      return /%[-+ ]?G|signature/.test(value);
    return /^--diff-m[a-z-]*=r/.test(value) || (value.startsWith('r') && before.startsWith('--diff-m'));
  });
}

/** Returns whether the settings before the command are known to change neither what git runs nor where it works. */
export function hasHarmlessSettings(args: readonly ShellWord[]): boolean {
  const { rest } = gitArguments(args);
  return args
    .slice(0, args.length - rest.length)
    .every((word, index) =>
      args[index - 1]?.value === '-c' ? isHarmlessPair(word) : !word.value.startsWith('--config-env'),
    );
}

function isHarmlessPair({ kind, value, prefix }: ShellWord): boolean {
  const text = kind === 'literal' ? value : prefix;
  const at = text.indexOf('=');
  if (kind !== 'literal') return at > 0 && HARMLESS.test(text.slice(0, at).toLowerCase());
  return isHarmlessConfig(at < 0 ? text : text.slice(0, at), at < 0 ? undefined : text.slice(at + 1));
}

const READS = /^(--get(-\w+)*|--list|-l|get|list)$/;
const WRITES = /^(set|--add|--replace-all|unset|--unset(-all)?)$/;

/** Returns the files with settings that `git config` changes. A harmless setting of the repository does not count. */
export function changedSettings({ command, rest, folder }: GitArguments): ShellWord[] {
  const [verb] = rest;
  if (command === 'maintenance')
    return /^(register|unregister|start|stop)$/.test(verb?.value ?? '') ? [USER_FILE] : [];
  if (command !== 'config' || rest.some(({ value }) => READS.test(value))) return [];
  const named = rest.flatMap((word, index) => {
    const { value } = word;
    if (value.startsWith('--gl')) return [USER_FILE];
    if (value.startsWith('--sy')) return [SYSTEM_FILE];
    if (/^(-f|--fi[a-z]*)$/.test(value)) return rest[index + 1] ?? unknownWord(word.text);
    const [, attached] = /^(?:-f|--fi[a-z]*=)(.+)$/s.exec(value) ?? [];
    return attached === undefined ? [] : [partOfWord(word, attached)];
  });
  if (named.length > 0) return named;
  const [key, value, ...more] = rest.filter(
    (word) => !word.value.startsWith('-') && !WRITES.test(word.value),
  );
  const isUnset = rest.some((word) => /^(unset|--unset(-all)?)$/.test(word.value));
  const isPlain = key?.kind === 'literal' && more.length === 0 && (value?.kind ?? 'literal') === 'literal';
  if (isPlain && isHarmlessConfig(key.value, isUnset ? undefined : value?.value)) return [];
  // Without a value, it prints the setting.
  if (isPlain && value === undefined && !isUnset && /^[\w-]+\..+$/.test(key.value)) return [];
  return [folder ? partOfWord(folder, `${folder.value}/.git/config`) : literalWord('.git/config')];
}

const USER_FILE: ShellWord = partOfWord(literalWord('~'), '~/.gitconfig');
const USER_FILES: readonly ShellWord[] = [USER_FILE, partOfWord(literalWord('~'), '~/.config/git/config')];
const SYSTEM_FILE: ShellWord = literalWord('/etc/gitconfig');

/** Actions of `git remote` that print no setting. */
const SILENT_REMOTE = /^(add|rename|remove|rm|set-head|set-branches|set-url|update)$/;

/** Returns whether the command prints settings: all of them, or the addresses of remotes. */
export function printsSettings({ command, rest }: GitArguments): boolean {
  switch (command) {
    case 'config':
    case 'var':
    case 'request-pull':
      return true;
    case 'remote': {
      const action = rest.find(({ kind, value }) => kind === 'dynamic' || !value.startsWith('-'));
      return action?.kind !== 'literal' || !SILENT_REMOTE.test(action.value);
    }
    case 'ls-remote':
      return rest.some(({ kind, value }) => kind === 'dynamic' || value.startsWith('--ge'));
    default:
      return false;
  }
}

/** Options of `git config` without a value, so that the next word is an option of its own. */
const CONFIG_FLAG = /^([^-].*|-[lz]|--(list|get|get-all|get-regexp|show-origin|show-scope|null|name-only))$/s;

/** Returns the files of the repository, the user and the machine whose settings the command prints. */
export function shownSettings(given: GitArguments): Touch[] {
  if (!printsSettings(given)) return [];
  const { command, rest, folder, isElsewhere } = given;
  const scope = command === 'config' ? configScope(rest) : undefined;
  // Its name is among the operands.
  if (scope === 'file') return [];
  const user = USER_FILES.map((word) => touch('read', word));
  const system = [touch('read', SYSTEM_FILE)];
  if (scope === 'global') return user;
  if (scope === 'system') return system;
  const own = isElsewhere
    ? [touch('read', unknownWord('another repository'))]
    : ['.git/config', '.git/config.worktree'].map((file) =>
        touch('read', literalWord(file), undefined, { fromTopOf: folder ?? HERE }),
      );
  return scope === 'local' ? own : [...own, ...user, ...system];
}

/** Returns the only scope that is read. Undefined if it may be all of them. */
function configScope(rest: readonly ShellWord[]): 'global' | 'system' | 'local' | 'file' | undefined {
  const at = rest.findIndex(({ kind, value }) => kind !== 'literal' || !CONFIG_FLAG.test(value));
  const word = rest[at];
  if (word?.kind !== 'literal') return undefined;
  if (/^(-f.*|--file(=.*)?)$/s.test(word.value)) return 'file';
  const [, scope] = /^--(global|system|local|worktree)$/.exec(word.value) ?? [];
  if (scope === undefined) return undefined;
  return scope === 'global' || scope === 'system' ? scope : 'local';
}
