/** Redirections of the shell grammar as ours. */
import type { HereDoc, RedirectDescriptor, Redirection } from 'unbash';
import type { Descriptor, ShellRedirection } from './command.ts';
import { wordOf } from './words.ts';

/** Undefined where the grammar itself could not make sense of it. */
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

function hereDocOf(
  { body, delimiter, closing }: HereDoc,
  descriptor: Descriptor,
): ShellRedirection | undefined {
  // Without its closing line it swallows the rest of the text, which the shell only warns of.
  if (delimiter === undefined || closing === undefined) return undefined;
  const expands = !delimiter.quoted && (body.parts ?? []).some((part) => part.type !== 'Literal');
  return { kind: 'here_doc', descriptor, body: body.text, expands };
}

function descriptorOf(descriptor: RedirectDescriptor | undefined): Descriptor {
  if (descriptor === undefined) return undefined;
  return descriptor.type === 'FileDescriptor' ? descriptor.value : descriptor.name;
}
