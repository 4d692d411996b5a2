/** Whether a call may run in the read-only view instead of being asked about. */
import type { Part } from './part.ts';
import type { AuthorizeRequest } from './request.ts';
import type { CompiledRules } from './rules/compile.ts';

/**
 * Every command in it only reads, by proof or by its program, and no file is written as far as is known. Rules
 * still bind it: if a deny or ask rule is about commands or files, a program that reads or runs something unseen does not fit.
 */
export function fitsView(
  { tool, sandboxed }: AuthorizeRequest,
  parts: readonly Part[],
  rules: CompiledRules,
): boolean {
  if (tool !== 'Bash' || sandboxed) return false;
  const isBound = [...rules.deny, ...rules.ask].some(
    ({ names, specifier }) => specifier !== undefined && ['Bash', 'Read', 'Edit'].some(names),
  );
  return parts.every((part) => fits(part, isBound));
}

function fits(part: Part, isBound: boolean): boolean {
  switch (part.kind) {
    case 'call':
      return part.shares || part.readOnly;
    case 'command':
      if (part.concern) return false;
      return (
        part.inner ||
        part.readOnly !== 'no' ||
        part.confinable === 'closed' ||
        (part.confinable === 'yes' && !isBound)
      );
    case 'read':
      return true;
    case 'write':
    case 'remove':
    case 'fetch':
      return false;
  }
}
