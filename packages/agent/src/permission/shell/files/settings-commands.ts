/** Commands that change settings of the user or of the project, without the name of their file: `npm config set x y`. */
import type { ShellWord } from '@heddle/tools/shell';
import { baseName } from '../runners.ts';
import { runsElsewhere } from './host-words.ts';
import { literalWord, partOfWord, type Touch, touch } from './touch.ts';
import { shortOption } from '../short-options.ts';

interface SettingsProgram {
  readonly programs: RegExp;
  /** The beginnings of the commands that change settings. */
  readonly changes: RegExp;
  /** Those of them that only print. */
  readonly prints?: RegExp;
  readonly files: readonly string[];
}

const SETTINGS: readonly SettingsProgram[] = [
  {
    programs: /^(npm|pnpm|yarn|yarnpkg|bun)$/,
    // npm accepts beginnings of its commands.
    changes:
      /^((npm )?(c|con|conf|confi|config|token|profile|set|setup|logi\w*|logo\w*|addu\w*|add-\w*)( |$))/,
    prints: /^((c|con|conf|confi|config)( (get|list|ls)\b|$)|token( list|$)|profile( get|$))/,
    files: ['~/.npmrc', '.npmrc'],
  },
  {
    programs: /^(kubectl|oc)$/,
    changes: /^(config|login|logout)\b/,
    prints: /^config( (view|get-\w+|current-context)\b|$)/,
    files: ['~/.kube/config'],
  },
  {
    programs: /^aws(cli)?$/,
    changes: /^(configure|sso log|login|codeartifact login|eks update-kubeconfig)/,
    prints: /^configure (list|get|list-profiles|export-credentials)\b/,
    files: ['~/.aws/config'],
  },
  {
    programs: /^gcloud$/,
    changes: /^((alpha |beta )?(config|auth|init)\b|container clusters get-credentials)/,
    prints:
      /^((config|auth) (get|get-value|list|describe|print-\w+-token)|config configurations (list|describe))\b/,
    files: ['~/.config/gcloud/properties'],
  },
  {
    programs: /^az$/,
    changes: /^(login|logout|config|configure|account (set|clear)|aks get-credentials)\b/,
    prints: /^config get\b/,
    files: ['~/.azure/config'],
  },
  {
    programs: /^(docker|podman|nerdctl|helm)$/,
    changes: /^((registry )?log(in|out)|context|system connection|plugin (install|update|add))\b/,
    prints: /^(context( (ls|list|show|inspect|export)\b|$)|system connection( (ls|list)|$))/,
    files: ['~/.docker/config.json'],
  },
  { programs: /^cargo$/, changes: /^log(in|out)\b/, files: ['~/.cargo/credentials.toml'] },
  {
    programs: /^go$/,
    changes: /^env\b/,
    prints: /^env\b(?!.* --?[wu](=| |$))/,
    files: ['~/.config/go/env'],
  },
  {
    programs: /^(gh|glab)$/,
    changes: /^(alias|config|auth|extension|extensions|ext|skills?)\b/,
    prints:
      /^((alias|config|ext\w*|skills?) (list|ls|get|search|browse|exec|preview)\b|auth (status|token)\b|\w+$)/,
    files: ['~/.config/gh/config.yml'],
  },
  {
    programs: /^pip[\d.]*$/,
    changes: /^config\b/,
    prints: /^config( (list|get|debug)\b|$)/,
    files: ['~/.config/pip/pip.conf'],
  },
  {
    programs: /^poetry$/,
    changes: /^config\b/,
    prints: /^config( --list\b|$)/,
    files: ['~/.config/pypoetry/config.toml'],
  },
  {
    programs: /^(conda|mamba|micromamba)$/,
    changes: /^(config|init|shell init)\b/,
    prints: /^config( --(show|show-sources|get|describe|json|validate)| [\w.]+)*$/,
    files: ['~/.condarc', '~/.bashrc'],
  },
  {
    programs: /^composer$/,
    changes: /^(g\w* )?conf\w*\b.* (-(?!-)\S*g|--g\w*|--a\w*)/,
    files: ['~/.config/composer/config.json'],
  },
  {
    programs: /^bundler?$/,
    changes: /^config\b/,
    prints: /^config( (list|get)\b| [\w.]+$|$)/,
    files: ['~/.bundle/config'],
  },
  // They choose versions of programs, in protected files.
  {
    programs: /^(asdf|pyenv|rbenv|nodenv|jenv|goenv|mise|rtx)$/,
    changes: /^(global|local|set|use|u|trust|unset|settings)\b/,
    prints: /^((global|local)$|settings( (get|ls)\b|$))/,
    files: ['.tool-versions'],
  },
  { programs: /^uv$/, changes: /^python pin\b/, files: ['.python-version'] },
  { programs: /^ssh-keygen$/, changes: /(^| )-(?!-)\S*R/, files: ['~/.ssh/known_hosts'] },
  {
    programs: /^gpg2?$/,
    changes: /(^| )--(im|recv|receive|del|edit|gen|full-g|quick|sign-k|lsign|update-t|card-e|refresh)/,
    files: ['~/.gnupg/pubring.kbx'],
  },
  {
    programs: /^(pre-commit|lefthook|husky|git-lfs)$/,
    changes: /^(install|uninstall|init|init-templatedir|add|set)\b/,
    files: ['.git/hooks/pre-commit'],
  },
  // They make links and files for units in one of these folders.
  {
    programs: /^systemctl$/,
    changes:
      /^(link|enable|reenable|disable|preset(-all)?|mask|unmask|edit|revert|set-default|set-property|add-wants|add-requires)\b/,
    files: ['~/.config/systemd/user/x.service', '/etc/systemd/system/x.service'],
  },
  {
    programs: /^crontab$/,
    changes: /^/,
    prints: /^(-u \S+ )?-l$/,
    files: ['/var/spool/cron/crontabs/user'],
  },
];

/** Package managers change the file in which a project names its packages. */
const MANIFESTS: readonly SettingsProgram[] = [
  {
    programs: /^(npm|pnpm|yarn|yarnpkg|bun)$/,
    changes:
      /^(pkg (set|delete|fix)\b|(version|init|create|add|remove|rm|un|uninstall|up|upgrade|upgrade-interactive|link|unlink)\b|(i|in|ins\w*) [^-])/,
    prints: /^(version|audit|add-\w*.*)$/,
    files: ['package.json'],
  },
  { programs: /^cargo$/, changes: /^(add|remove|rm|init)\b/, files: ['Cargo.toml'] },
  { programs: /^go$/, changes: /^(get|mod (edit|tidy|init))\b/, files: ['go.mod'] },
  {
    programs: /^(poetry|uv|pdm|rye|hatch)$/,
    changes: /^(add|remove|init|version [^-])/,
    files: ['pyproject.toml'],
  },
  { programs: /^composer$/, changes: /^(req\w*|rem\w*|init|bump)\b/, files: ['composer.json'] },
  { programs: /^bundler?$/, changes: /^(add|remove|init)\b/, files: ['Gemfile'] },
];

/** Options without a value, in the programs above. The word after another option may be its value. */
const FLAG =
  /^(\+.*|--[\w-]+=.*|-[sqvdDgyfiV]|-it|--(silent|quiet|verbose|yes|json|global|force|offline|debug|no-[\w-]+|version|help))$/;

/** The words of a command as texts. A command may begin after any word, so each text is made once. */
interface SettingWords {
  readonly words: readonly string[];
  readonly isFlag: readonly boolean[];
  /** Returns the text from a position on. */
  readonly all: (at: number) => string;
  /** Without flags. */
  readonly certain: (at: number) => string;
  /** Without options. */
  readonly bare: (at: number) => string;
}

/** Returns the files with settings that a command changes. Another program may run it: `npx npm config set`, `python3 -m pip`. */
export function changedSettings(program: string, args: readonly ShellWord[]): Touch[] {
  const words = args.map(({ value }) => value.replace(/\s/g, '_'));
  const isFlag = words.map((word) => FLAG.test(word));
  const given: SettingWords = {
    words,
    isFlag,
    all: textsOf(words, () => true),
    certain: textsOf(words, (word, at) => isFlag[at] !== true || /^--?[wu]\b/.test(word)),
    bare: textsOf(words, (word) => !word.startsWith('-')),
  };
  const runs = runsElsewhere(program, args) ? [] : words;
  const files = [
    ...filesChangedBy(program, given, 0),
    ...runs.flatMap((word, at) => filesChangedBy(programIn(word), given, at + 1)),
  ];
  return Array.from(new Set(files), settingsTouch);
}

/** Returns a function that joins the kept words from a position on. Its texts are slices of one text. */
function textsOf(
  words: readonly string[],
  isKept: (word: string, at: number) => boolean,
): (at: number) => string {
  const starts: number[] = [];
  let length = 0;
  for (const [at, word] of words.entries()) {
    starts.push(length);
    if (isKept(word, at)) length += word.length + 1;
  }
  const text = words.filter(isKept).join(' ');
  return (at) => text.slice(starts[at] ?? length);
}

/** Returns the change of a file with settings, in the home folder or the working directory. */
export function settingsTouch(file: string): Touch {
  return touch('write', partOfWord(literalWord(file), file));
}

const MODULE_OPTION = new RegExp(`^${shortOption('m', 'cWX')}(?=\\w)`);

/** The name of a module can follow the option of Python: `-mpip`. A version can follow the name of a package: `npm@10`. */
function programIn(word: string): string {
  return baseName(word.replace(MODULE_OPTION, '')).replace(/@.*$/, '');
}

function filesChangedBy(program: string, given: SettingWords, first: number): readonly string[] {
  return [SETTINGS, MANIFESTS].flatMap((programs) => {
    const found = programs.find((each) => each.programs.test(program));
    return found ? filesOf(found, program, { given, first }) : [];
  });
}

function filesOf(
  { changes, prints, files }: SettingsProgram,
  program: string,
  { given, first }: { readonly given: SettingWords; readonly first: number },
): readonly string[] {
  const starts = /^(crontab|gpg2?|ssh-keygen)$/.test(program) ? [first] : startsOf(given, first);
  const isChange = starts.some((at) => {
    const certain = given.certain(at);
    const isNamed = [given.all(at), certain, given.bare(at)].some((text) => changes.test(text));
    return isNamed && prints?.test(certain) !== true;
  });
  return isChange ? files : [];
}

/** Returns each position at which the command may begin. The value of an option can be before it. */
function startsOf({ words, isFlag }: SettingWords, first: number): readonly number[] {
  const starts: number[] = [];
  for (let at = first; at < words.length; at++) {
    if (/^[-+]/.test(words[at] ?? '')) continue;
    starts.push(at);
    const before = at > first ? words[at - 1] : undefined;
    if (before?.startsWith('-') !== true || isFlag[at - 1] === true) break;
  }
  return starts.length > 0 ? starts : [words.length];
}
