/** What belongs to one prompt's run, and what it amounts to at its end. */
import type { Terminal } from '@heddle/core';
import type { Translator } from '../sdk/translate.ts';
import type { Denials } from './denials.ts';
import type { EndOfRun } from './lines.ts';
import type { StructuredOutput } from './structured-output.ts';
import type { Tally } from './tally.ts';

export interface Turn {
  readonly tally: Tally;
  readonly denials: Denials;
  readonly translator: Translator;
  readonly structured: StructuredOutput | undefined;
}

export function endOf(
  { tally, denials, structured }: Turn,
  end: Pick<EndOfRun, 'terminal' | 'spending' | 'now' | 'unstored'>,
): EndOfRun {
  return {
    ...end,
    tally,
    denials: denials.list,
    structured: structured?.value,
    exhausted: structured?.exhausted === true && ENDS_IN_PEACE.has(end.terminal.reason),
  };
}

/** A run that ended so did not fail for another reason. */
const ENDS_IN_PEACE: ReadonlySet<Terminal['reason']> = new Set(['completed', 'hook_stopped']);
