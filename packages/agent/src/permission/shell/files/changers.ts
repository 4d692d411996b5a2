/** Programs that change the mode, the owner or other properties of files. */
import type { ShellWord } from '@heddle/tools/shell';
import { argumentsOf, hasOption } from './operands.ts';
import { type Touch, touch, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

const CHANGERS = /^(chmod|chown|chgrp|chattr|chcon|setfacl)$/;

export function isChanger(program: string): boolean {
  return CHANGERS.test(program);
}

const VALUED: Readonly<Record<string, readonly string[]>> = {
  chown: ['--from', '--reference'],
  chmod: ['--reference'],
  chgrp: ['--from', '--reference'],
  chattr: ['-p', '-v'],
  chcon: ['--reference', '-u', '--user', '-r', '--role', '-t', '--type', '-l', '--range'],
  setfacl: '-m --modify -M --modify-file -x --remove -X --remove-file --set --set-file --restore'.split(' '),
};

/** Any of these can follow other letters: `chmod -Rx a`. */
const MODE_AMONG_OPTIONS = /^-[A-Za-z]*[rwxXstugoa0-7,+=]/;

export function changed(program: string, args: readonly ShellWord[]): Touch[] {
  const given = argumentsOf(args, VALUED[program]);
  const isDeep = hasOption(given, 'R', '--recursive');
  const references = given.valuesOf('--reference');
  const files = fileOperands(program, args, given.operands, references.length > 0);
  const isUnknown =
    // Links below are followed.
    (isDeep && hasOption(given, 'L', '--dereference', '--logical')) ||
    // A list names the files.
    given.valuesOf('--restore').length > 0;
  return [
    ...files.map((word) => touch('write', word, isDeep ? 'all' : undefined)),
    ...references.map((word) => touch('read', word)),
    ...(isUnknown ? [touch('write', unknownWord('the files behind links, or of a list'))] : []),
  ];
}

/** Returns the operands without the mode, the owner or the context, which is the first one unless an option replaces it. */
function fileOperands(
  program: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
  hasReference: boolean,
): readonly ShellWord[] {
  switch (program) {
    case 'setfacl':
      return operands;
    case 'chattr':
      return operands.filter(({ value }) => !/^[+=]/.test(value));
    case 'chmod':
      return hasReference || args.some(({ value }) => MODE_AMONG_OPTIONS.test(value))
        ? operands
        : operands.slice(1);
    case 'chcon':
      return hasReference ||
        args.some(({ value }) => optionPattern({ letters: 'urtl', long: '[urt]' }).test(value))
        ? operands
        : operands.slice(1);
    default:
      return hasReference ? operands : operands.slice(1);
  }
}
