/** Converts redirections of the parser to `ShellRedirection`. */
import type { HereDoc, RedirectDescriptor, Redirection } from 'unbash';
import type { Descriptor, ShellRedirection } from './command.ts';
import { wordOf } from './shell-word.ts';

/** Returns undefined if the parser could not read the redirection. */
export function redirectionOf(redirection: Redirection): ShellRedirection | undefined {
  const descriptor = descriptorOf(redirection.descriptor);
  if (redirection.type === 'HereDoc') return hereDocOf(redirection, descriptor);
  if (redirection.target === undefined) return undefined;
  const target = wordOf(redirection.target);
  if (redirection.type === 'HereString') return { kind: 'here_string', descriptor, target };
  const { operator } = redirection;
  return operator === '>&' || operator === '<&'
    ? { kind: 'duplicate', operator, descriptor, target }
    : { kind: 'file', operator, descriptor, target };
}

/** Returns whether a redirection may give a text to the command. */
export function givesInput(redirection: ShellRedirection): boolean {
  switch (redirection.kind) {
    case 'here_doc':
    case 'here_string':
      return true;
    case 'duplicate': {
      const { operator, descriptor, target } = redirection;
      return (
        target.value !== '-' && (operator === '<&' || descriptor === 0 || typeof descriptor === 'string')
      );
    }
    case 'file': {
      const isRead = redirection.operator === '<' || redirection.operator === '<>';
      return isRead && (redirection.target.kind !== 'literal' || redirection.target.value !== '/dev/null');
    }
  }
}

/** Characters that a backslash protects in a here-document with expansions. A continued line has no line break. */
const ESCAPED = /\\([$`\\\n])/g;

function hereDocOf(
  { body, delimiter, closing, operator }: HereDoc,
  descriptor: Descriptor,
): ShellRedirection | undefined {
  // Without its closing line it extends to the end of the text. The shell only prints a warning.
  if (delimiter === undefined || closing === undefined) return undefined;
  const expands = !delimiter.quoted && (body.parts ?? []).some((part) => part.type !== 'Literal');
  const text = operator === '<<-' ? body.text.replace(/(^|\n)\t+/g, '$1') : body.text;
  // The command gets the text without these backslashes. For a shell, a substitution behind one is code.
  const isPlain = delimiter.quoted || expands;
  const given = isPlain ? text : text.replace(ESCAPED, (_, letter: string) => letter.trim());
  return { kind: 'here_doc', descriptor, body: given, expands };
}

function descriptorOf(descriptor: RedirectDescriptor | undefined): Descriptor {
  if (descriptor === undefined) return undefined;
  return descriptor.type === 'FileDescriptor' ? descriptor.value : descriptor.name;
}
