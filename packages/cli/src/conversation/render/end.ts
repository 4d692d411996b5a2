/** Formats the end of a turn: its error, if there is one, its duration and its cost. */
import type { SdkResult } from '@heddle/agent';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { pluralize, dollars, durationText } from '../../terminal/amounts.ts';

export interface TurnSummary {
  readonly result: SdkResult;
  /** The cost of the conversation before this turn. */
  readonly earlierUsd: number;
  /** The used part of the context window and, if it is near, the compaction threshold. In percent. */
  readonly context: { readonly used: number; readonly compactsAt?: number };
  /** The time during which questions were open. It is not part of the duration. */
  readonly askedMs: number;
  /** The answers come from a recording, so nothing was paid. */
  readonly isReplay: boolean;
}

export function endLines(
  { result, earlierUsd, context, askedMs, isReplay }: TurnSummary,
  { paint, signs }: Style,
): string[] {
  const trouble = troubleOf(result, signs.failed);
  const facts = [
    pluralize(result.num_turns, 'answer'),
    durationText(result.duration_ms - askedMs),
    isReplay ? 'a replay' : costOf(result, earlierUsd),
    fillOf(context),
  ];
  return [
    ...(trouble === undefined ? [] : [paint('red', escapeControls(trouble))]),
    paint('dim', `  ${facts.join(` ${signs.dot} `)}`),
  ];
}

function fillOf({ used, compactsAt }: TurnSummary['context']): string {
  return `${used} % of the window${compactsAt === undefined ? '' : `, compacts at ${compactsAt} %`}`;
}

/** The text of an API error was already shown as the answer. */
function troubleOf({ errors, terminal_reason: reason }: SdkResult, sign: string): string | undefined {
  if (reason === 'aborted_streaming' || reason === 'aborted_tools') return 'Interrupted.';
  return errors && errors.length > 0 ? `${sign} ${errors.join('\n')}` : undefined;
}

function costOf({ total_cost_usd: total }: SdkResult, earlierUsd: number): string {
  if (total === null) return 'cost unknown';
  const now = Math.max(0, total - earlierUsd);
  return earlierUsd > 0 ? `${dollars(now)} (${dollars(total)} in all)` : dollars(now);
}
