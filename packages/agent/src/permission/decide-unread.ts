/**
 * A shell command that the grammar does not understand. It is asked about; and since deny and ask rules hold in every mode,
 * wherever there is one about commands or files it is taken to speak of it.
 */
import { type Case, type PartDecision, decidePart } from './decide-part.ts';
import type { CallPart } from './part.ts';

export function decideUnread(
  { call, command, reason }: { readonly call: CallPart; readonly command: string; readonly reason: string },
  held: Case,
): PartDecision[] {
  const whole = decidePart(call, held);
  if (whole.decision !== 'allow') return [whole];
  const said = (decision: 'ask' | 'deny', why: string): PartDecision[] => [
    { kind: 'command', part: command, decision, reason: why, quiet: false },
  ];
  if (held.mode === 'plan') return said('deny', 'Plan mode: nothing with effects runs.');
  const why = `The command cannot be read: ${reason}.`;
  const { sandboxed = false } = held.request;
  if (held.mode !== 'bypassPermissions' && !sandboxed) return said('ask', why);
  const bound = [...held.rules.deny, ...held.rules.ask].some(
    ({ names, specifier }) => specifier !== undefined && ['Bash', 'Read', 'Edit'].some(names),
  );
  if (bound) return said('ask', `${why} A deny or ask rule may speak of it.`);
  if (/\b(rm|rmdir|shred|dd|mkfs)\b/.test(command)) return said('ask', `${why} It may remove files.`);
  return [
    {
      kind: 'command',
      part: command,
      decision: 'allow',
      reason: sandboxed ? 'It runs in the sandbox.' : 'The mode bypassPermissions allows it.',
      quiet: false,
      ground: 'permit',
    },
  ];
}
