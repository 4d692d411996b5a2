/** Names of refs in git commands. Some commands accept a name that leads to another file among git's own: `refs/../config`. */
import type { ShellWord } from '@heddle/tools/shell';
import { type GitArguments, inFolder } from './git-arguments.ts';
import { argumentsOf } from './operands.ts';
import { literalWord, type Touch, touch } from './touch.ts';

/** Other names in capitals may be files of git on disks without case: `CONFIG`. */
const SPECIAL =
  /^(HEAD|[A-Z_]+_HEAD|AUTO_MERGE|BISECT_EXPECTED_REV|MERGE_AUTOSTASH|NOTES_MERGE_(PARTIAL|REF))$/;
/** Not allowed in a name, as in `git check-ref-format`. */
// oxlint-disable-next-line no-control-regex -- git rejects control characters
const INVALID = /\.\.|\/\/|\/$|\.$|@\{|(^|\/)\.|\.lock(\/|$)|[\u0000- \u007F~^:?*[\\]/;

function isRefName(name: string): boolean {
  return SPECIAL.test(name) || (name.startsWith('refs/') && !INVALID.test(name));
}

/** Returns the change of git's own files by a name that may not be that of a ref. */
export function changedByRefs(given: GitArguments): Touch[] {
  return mayLeaveRefs(given) ? [touch('write', inFolder(OWN_FILE, given))] : [];
}

/** It represents all files of git. */
const OWN_FILE = literalWord('.git/config');

function mayLeaveRefs({ command, rest }: GitArguments): boolean {
  const { operands, options } = argumentsOf(rest, ['-m']);
  const [first, second] = operands;
  const isOnInput = options.some((option) => option.startsWith('--st'));
  switch (command) {
    // It accepts names outside of `refs/`: `reset commondir`.
    case 'fast-import':
      return true;
    case 'symbolic-ref':
      return operands.some(({ kind, value }) => kind !== 'literal' || !isRefName(value));
    case 'update-ref':
      if (isOnInput) return true;
      // Git itself rejects other names below `refs/`.
      return first !== undefined && !(first.kind === 'literal' ? isRefName(first.value) : isBelowRefs(first));
    case 'branch':
    case 'tag':
      return operands.some(climbs);
    case 'push':
    case 'fetch':
    case 'pull':
    case 'send-pack':
    case 'fetch-pack':
      return isOnInput || operands.slice(1).some(climbs);
    case 'remote':
      return first?.value === 'set-head' && second !== undefined && climbs(second);
    default:
      return false;
  }
}

function isBelowRefs({ prefix }: ShellWord): boolean {
  return prefix.startsWith('refs/') && !INVALID.test(prefix.replace(/[/.]$/, ''));
}

/** `main...dev` is a revision. */
function climbs({ value }: ShellWord): boolean {
  return /(^|[/:])\.\.(\/|$)/.test(value);
}
