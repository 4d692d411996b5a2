/** The parts of a redirection: the file that the shell opens, and outputs that may be a terminal. */
import type { ShellRedirection, ShellWord } from '@heddle/tools/shell';
import { isSink } from '../../paths/places.ts';
import type { FilePart } from '../../part.ts';
import type { PermissionWorld } from '../../world.ts';
import type { Folders } from '../shell-state.ts';
import { touchPart } from './file-parts.ts';
import { unknownWord } from './touch.ts';

type Opened = Extract<ShellRedirection, { kind: 'file' | 'duplicate' }>;

/** Returns the parts of a redirection to a file. Descriptors and here-documents have none. */
export function redirectionParts(
  redirection: ShellRedirection,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  if (redirection.kind === 'here_doc' || redirection.kind === 'here_string') return [];
  const { operator, target: word } = redirection;
  const part = (kind: 'read' | 'write', target = word): FilePart[] =>
    touchPart({ kind, word: target }, 'redirection', folders, world);
  // An unknown output needs a question, like a file that is not known.
  if (redirection.kind === 'duplicate' && isDescriptor(word))
    return copiesInput(redirection) ? part('write', unknownWord(word.text)) : [];
  if (operator === '<' || operator === '<&') {
    const parts = part('read').map(withUnknownFile);
    return mayBeTerminal(redirection, parts) ? part('write', unknownWord(word.text)) : parts;
  }
  // The shell replaces a pattern by the one file that matches, which may be a link to anywhere.
  const target = word.kind === 'pattern' ? unknownWord(word.text) : word;
  return operator === '<>' ? [...part('read'), ...part('write', target)] : part('write', target);
}

/** A dash after a number moves the descriptor. In quotes it belongs to the name of a file: `>&"1-"`. */
function isDescriptor({ value, text }: ShellWord): boolean {
  return /^(\d+|-)$/.test(value) || (/^\d+-$/.test(value) && text.endsWith('-'));
}

function withUnknownFile(part: FilePart): FilePart {
  return part.places === undefined ? { ...part, mayBeAnyFile: true } : part;
}

/** `>&0` and `3<&0`: the input may be any file. */
function copiesInput({ operator, descriptor, target }: Opened): boolean {
  const isToInput = operator === '<&' && (descriptor ?? 0) === 0;
  return /^0-?$/.test(target.value) && !isToInput;
}

/** Names of a descriptor of the process, whose file is not known. */
const OPENED = /^\/(dev\/(stdin|fd\/)|proc\/[^/]+\/(task\/[^/]+\/)?fd\/)/;

/**
 * Returns whether a redirection may open a terminal that becomes the output of a program. Some programs write or run something
 * only then: `nohup cat a 1</dev/ptmx` writes a file, and git starts a pager.
 */
function mayBeTerminal({ descriptor = 0, target }: Opened, parts: readonly FilePart[]): boolean {
  if (descriptor === 1 || descriptor === 2) return true;
  const isUnknown =
    target.kind === 'dynamic' ||
    OPENED.test(target.value) ||
    parts.some((part) => part.places === undefined || part.glob);
  if (isUnknown) return descriptor !== 0;
  const files = parts.flatMap(({ places = [] }) => places.map(({ real }) => real));
  return files.some((file) => /^\/dev\/(?!(tcp|udp)\/)/.test(file) && !isSink(file, 'read'));
}
