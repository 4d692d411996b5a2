/**
 * Finds options with which a program starts another program, or loads settings that do. A rule with a wildcard
 * (`Bash(tar *)`) is meant for what the program itself does, so it does not cover them.
 */
import { maySedRunProgram, type ShellRedirection, type ShellWord } from '@heddle/tools/shell';
import { AWK_BLANK, awkCodeWords, bareCode, hasAwkWord } from './awk-code.ts';
import { mayContainCode } from './code-variables.ts';

import { beginsOption, SED_FLAGS, takesCode } from './interpreters.ts';
import { findMakeCommand, isMake, wordsForMake } from './make-words.ts';
import { runsProgramByNpm } from './npm-options.ts';
import { optionPattern, shortOption } from './short-options.ts';

/** Programs whose check of unknown code accepts only options that start no program. */
const CHECKED = /^((bsd|g)?tar|ssh|scp|sftp|mosh|man|rpm|nc|ncat|netcat|socat)$/;

const NPM = /^(npm|npx|pnpm|pnpx|yarn|bun|bunx)$/;

/** Letters of awk that take the rest of the word. */
export const AWK_VALUED = 'evF';

/** Long options count from a beginning that the program may accept. */
const OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^bunx?$/, optionPattern({ letters: 'c', long: 'config(=|$)' })],
  [/^g?sort$/, beginsOption('c|ompress-program')],
  [/^g?split$/, beginsOption('f|ilter')],
  // It sets any variable.
  [/^g?xargs$/, beginsOption('p|rocess-slot-var')],
  [/^g?install$/, beginsOption('strip-|program')],
  [/^pip[\d.]*$/, beginsOption('py|thon')],
  [/^rg$/, /^--(pre|hostname-bin)(=|$)/],
  [/^zip$/, /^-(?!-).*TT/s],
  [/^zip$/, beginsOption('u|nzip-command')],
  [/^wget$/, beginsOption('u|se-askpass conf|ig')],
  // It loads a library.
  [/^curl$/, beginsOption('e|ngine')],
  // Options of the linker follow a comma. They can also be in a file: `@x`.
  [
    /^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/,
    /^--?(wrapper|specs|fplugin|B|ld-path|iplugindir|load|fuse-ld=.*\/|fmodule-mapper)|^-f[\w-]+=.*\||^-.*plugin|^(-Wl,(.*,)?)?@/,
  ],
  // They load a library, or start another program as the linker.
  [/^(ld|ld\.\w+|lld|mold|gold)$/, /^--?plugin(=|$)|^--?(load-pass-plugin|run$)|^@/],
  [
    /^(rustc|cargo|rustdoc|clippy-driver)$/,
    /^(-C\s*|--codegen=)?(linker|link-args?|pre-link-args?|linker-flavor)=|codegen-backend=|^--(test-builder|runtool|test-runtool)(=|$)|^@/,
  ],
  // Settings can be in a file, also in its folder.
  [
    /^gpg(2|sm|v)?$/,
    beginsOption(
      'op|tions ho|medir ag|ent-program dir|mngr-program keyb|oxd-program ph|oto-viewer exe|c-path loa|d-extension pine|ntry-program',
    ),
  ],
  [/^(ed|red)$/, /^!/],
  // Variables for make.
  [/^(env|sudo|doas)$/, /^(MAKEFILES=.|(GNU)?MAKEFLAGS=(?!(-[jkns\d]+|\s)*$))/],
  [/^just$/, /^--(shell|shell-arg|chooser|cygpath)(=|$)/],
  // Old versions run such a value.
  [/^task$/, /^\w+=\$/],
  [/^cargo$/, /^--config/],
  [/^(kubectl|oc|kustomize)$/, /^--(exec-|helm-command|enable-(exec|alpha|helm))|^users\..*\.exec(\.|=|$)/],
  [/^go$/, /^--?(toolexec|exec|vettool)|(^|[\s='"])--?extld/],
  // A server takes its settings from a file, and they can name programs.
  [/^rsync$/, /^--(rsync-p|da|serv)/],
  // Settings can be in a file, and name programs.
  [/^unison$/, /^--?(source|include|copyprog|merge|diff|ssh|rsh|server|socket)/],
  [
    /^rclone$/,
    /^--(password-command|.*-(ssh|pass-?command)|rc($|=|-addr|-files|-web))|^(rcd|serve|mount\d?|nfsmount|selfupdate)$/,
  ],
  [/^(bat|batcat)$/, /^--(pager|config-f)/],
  [/^ag$/, /^--pag/],
  // Options of programs in Perl have any case.
  [/^ack$/, /^--?(pag|ac)/i],
  [/^cloc$/, /^--?(ext|con|vc)/i],
  // They load a library. Options can also be in a file: `nm @x`.
  [/^(nm|ar|ranlib|objdump|strip|size)$/, /^(--p(l|=|$)|@)/],
  [/^openssl$/, /^--?(provider|engine)/],
  [/^[gmn]?awk$/, new RegExp(`^(?:${shortOption('l', AWK_VALUED)}|--lo)|@${AWK_BLANK}load\\b`)],
  // A comment can be between the name of a function and its arguments.
  [
    /^sqlite3$/,
    /load_extension|writefile|readfile|fts3_tokenizer|(?<![a-z_$])edit["\]`]?\s*(\(|\/\*|--)|^\s*\.(sh(e|\s|$)|sy|lo(?!g))/i,
  ],
  [/^mlr$/, /^--?(prepipex?|m?load)(=|$)|(system|exec)(\s|#[^\n]*\n)*\(/],
  [/^cpio$/, /^--rs/],
  [/^star$/, /^-*(multivol|new-volume|rsh=|rmt=|compress-pr)/],
  [
    /^(apt(-get|-cache|-mark|-config|itude)?)$/,
    optionPattern({ letters: 'oc', valued: 't', long: 'op|conf' }),
  ],
  [/^(dnf5?|yum|microdnf|zypper)$/, optionPattern({ letters: 'c', long: 'conf|seto|installr|plug|root' })],
  [/^pacman$/, beginsOption('ho|okdir conf|ig gp|gdir ro|ot sysr|oot')],
  [/^gem$/, beginsOption('con|fig-file')],
  // `!<`, `!>` and `!=` compare numbers.
  [/^dc$/, /!(?![<>=])/],
  // A command with a dot ends at a line end. Those that only print are common.
  [
    /^sqlite3?$/,
    /^--?init|(^|\n)\s*\.(?!(t[a-z]*|sch[a-z]*|he[a-z]*|mode|dump|ind[a-z]*|databases|width|nullvalue|print|timer|q[a-z]*|exit|show|separator)\b)[a-z]+(\s|$)|(^|\n)\s*\.[a-z]+\s.*\|/i,
  ],
  [/^(psql|mysql|mariadb)$/, /\\!|\\[a-z]*\s*\||\\[a-z]+[^\n]*`|(^|[;\n])\s*(system|pager)\b/i],
  // Comments can be between the words: `copy a to/**/program 'x'`. A foreign table has an option of that name.
  [/^psql$/, /^(?=[^]*\b(copy|options)\b)[^]*\bprogram\b/i],
  [
    /^(vim?|nvim|ex|rvim|view|gvim|vimdiff)$/,
    new RegExp(`^(?:${shortOption('cSsuUl')}|--(?:cm|remote|lua)|\\+(?!\\d*$))`),
  ],
  [/^(emacs|emacsclient)$/, /^--?(?!(nw|Q|no-window-system|version|help)$)[a-zA-Z]/],
];

/** A remote shell that starts no other program on this machine. */
const PLAIN_SSH = /^ssh( +-([46CqTx]+|p *\d+|l *\w+|i *[\w./~-]+))*$/;

/** A number of characters. The search in a longer text takes too long, so it counts as one that runs programs. */
export const LONGEST_PROGRAM = 2_000;

/** Options with which a container gets access to this machine, or the client runs or loads other programs. */
const CONTAINER_ACCESS =
  /^--(privileged|use-api-socket|cap-add|device|device-cgroup-rule|volumes-from|rootfs|hooks-dir|conmon|module|network-cmd-path|allow|config)(=|$)/;
/** They do so with some values. */
const CONTAINER_SPACES =
  /^--((pid|ipc|uts|userns|cgroupns)=host|security-opt=(?!no-new-privileges).*|runtime=.*[^\w.-].*|storage-opt=.*mount_program.*)$/s;
/** Commands with an option `--config` of their own, or with the words of another program. */
const OWN_CONFIG = /^(service|stack|run|exec|create|container)$/;

function findContainerAccess(args: readonly ShellWord[]): string | undefined {
  const ownConfig = args.slice(0, 1).some(({ value }) => OWN_CONFIG.test(value));
  return args
    .map(({ value }, index) => {
      const pair = value.includes('=') ? value : `${value}=${args[index + 1]?.value ?? ''}`;
      const isOther = value.endsWith('=false') || (ownConfig && /^--config(=|$)/.test(value));
      if (CONTAINER_ACCESS.test(value) && !isOther) return value;
      return CONTAINER_SPACES.test(pair) || /^plugin=(install|create|enable|set|upgrade)$/.test(pair)
        ? pair
        : undefined;
    })
    .find((found) => found !== undefined);
}

const PLAIN_CLONE =
  /^([^-].*|--(depth|branch|single-branch|quiet|verbose|progress|no-tags|filter|jobs|recurse-submodules|shallow-submodules|no-checkout|bare|mirror)(=.*)?|-[bqvnj])$/s;

/** Returns whether some option of the program runs another one. */
export function hasProgramOption(program: string): boolean {
  return (
    CHECKED.test(program) ||
    isMake(program) ||
    NPM.test(program) ||
    OPTIONS.some(([programs]) => programs.test(program))
  );
}

/** Returns why the words start another program, or undefined. */
export function findProgramOption(
  program: string,
  args: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): string | undefined {
  const reason = (word: ShellWord): string => `${word.text} makes ${program} run another program.`;
  if (CHECKED.test(program) && takesCode(program)?.(args, redirections) === true)
    return `Its options may make ${program} run another program.`;
  const options = OPTIONS.filter(([programs]) => programs.test(program));
  const option = args.find(({ value }) => options.some(([, words]) => words.test(value)));
  if (option) return reason(option);
  const values = args.map(({ value }) => value);
  const setting = NPM.test(program) && args.find((_, index) => runsProgramByNpm(values, index));
  if (setting) return reason(setting);
  const access = /^(docker|podman|nerdctl)$/.test(program) ? findContainerAccess(args) : undefined;
  if (access !== undefined)
    return `${access} may give a container access to this machine, or load other programs.`;
  // The words behind the separator are those of `git clone` or ssh.
  const end = program === 'gh' ? args.findIndex(({ value }) => value === '--') : -1;
  const passed = end < 0 ? undefined : args.slice(end + 1).find(({ value }) => !PLAIN_CLONE.test(value));
  if (passed) return reason(passed);
  const command = findBuildCommand(program, args);
  if (command) return reason(command);
  if (program === 'rsync') {
    const shell = args.find((word, index) => isRemoteShell(word.value, args[index + 1]));
    if (shell) return reason(shell);
  }
  const text = /^[gmn]?awk$/.test(program) && findAwkCommand(args);
  if (text) return reason(text);
  if (/^g?sed$/.test(program) && maySedRunProgram(sedScript(args)))
    return `Its script may make ${program} run another program.`;
  // The names of its settings have any case, with or without dashes: `-e use_askpass=x`.
  const askpass =
    program === 'wget' && args.find(({ value }) => /useaskpass/i.test(value.replace(/[-_\s]/g, '')));
  return askpass ? reason(askpass) : undefined;
}

/** Returns a word with which a build tool runs a command: an option, or a variable for the programs that it runs. */
function findBuildCommand(program: string, args: readonly ShellWord[]): ShellWord | undefined {
  const forMake = wordsForMake(program, args);
  // The values of other words are checked as well, if they are known. Otherwise the command asks.
  if (forMake)
    return findMakeCommand(
      program,
      forMake.filter(({ kind }) => kind !== 'dynamic'),
    );
  if (program === 'just') {
    // Options after the first target belong to it.
    const target = args.findIndex(
      ({ value }, index) => /^(?!-)[^=]*$/.test(value) && !args[index - 1]?.value.startsWith('-'),
    );
    return args
      .slice(0, target < 0 ? args.length : target)
      .find(({ value }) => /^(-[^-]*c|--command$)/.test(value));
  }
  if (program !== 'rake') return undefined;
  return args.find(({ value }) => {
    const [, name, text] = /^(\w+)=(.*)$/s.exec(value) ?? [];
    return name !== undefined && mayContainCode(name, text);
  });
}

const AWK_INDIRECT = new RegExp(String.raw`@${AWK_BLANK}[\w:]+${AWK_BLANK}\(|\|${AWK_BLANK}getline|\|&`);
const AWK_CALL = new RegExp(String.raw`system${AWK_BLANK}\(|${AWK_INDIRECT.source}`);

/**
 * Returns the word with which awk may run a program: with `system`, a function whose name is in a variable, or a single `|`. In
 * some versions, `system` runs the current line if no parentheses follow.
 */
function findAwkCommand(args: readonly ShellWord[]): ShellWord | undefined {
  const code = new Set(awkCodeWords(args));
  return args.find((word) => {
    const { value } = word;
    if (value.length > LONGEST_PROGRAM) return true;
    if (code.has(word) ? hasAwkWord(value, 'system') || AWK_INDIRECT.test(value) : AWK_CALL.test(value))
      return true;
    // A separator of fields, such as `-F'|'`, is not a program.
    const text = value.replace(/^(-F|(-v)?\w+=)/, '');
    if (!/[A-Za-z]/.test(text.replace(/\\[tnsb]/g, ''))) return false;
    return /(?<!\|)\|(?!\|)/.test(bareCode(text) ?? text);
  });
}

const SED_CODE = new RegExp(`^(?:-${SED_FLAGS}e|--e\\w*(?:=|$))(.*)$`, 's');
const SED_FILE = new RegExp(`^(?:-${SED_FLAGS}f|--fi\\w*(?:=|$))(.*)$`, 's');
const SED_LENGTH = new RegExp(`^(-${SED_FLAGS}l|--l[a-z-]*)$`);

/** Returns the code in the words of sed. Parts of it can be in the same word as their option: `-ecode`, `--expression=code`. */
export function sedScript(args: readonly ShellWord[]): string {
  const parts: string[] = [];
  const operands: string[] = [];
  let readsFile = false;
  for (let at = 0; at < args.length; at++) {
    const value = args[at]?.value ?? '';
    const [, code] = SED_CODE.exec(value) ?? [];
    const [, file] = SED_FILE.exec(value) ?? [];
    if (value === '--') {
      operands.push(...args.slice(at + 1).map((word) => word.value));
      break;
    }
    if (code !== undefined)
      parts.push(code === '' && !value.endsWith('=') ? (args[++at]?.value ?? '') : code);
    else if (file !== undefined) {
      readsFile = true;
      if (file === '' && !value.endsWith('=')) at++;
    } else if (SED_LENGTH.test(value)) at++;
    else if (!value.startsWith('-') || value === '-') operands.push(value);
  }
  return parts.length > 0 || readsFile ? parts.join('\n') : (operands.find((value) => value !== '') ?? '');
}

/** Its letters with the values `f`, `B`, `T` and `M` take the rest of the word. */
const REMOTE_SHELL = new RegExp(`^(?:${shortOption('e', 'fBTM')}|--rsh)=?(.*)$`, 's');

function isRemoteShell(value: string, next: ShellWord | undefined): boolean {
  const [, attached] = REMOTE_SHELL.exec(value) ?? [];
  if (attached === undefined) return false;
  return !PLAIN_SSH.test(attached === '' ? (next?.value ?? '') : attached);
}
