/** Runs one prompt, and prints its summary line. */
import type { Agent, Prompt, SdkResult } from '@heddle/agent';
import { errorMessage } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { EventRenderer } from '../render/event-renderer.ts';
import type { OutputPart, Screen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';
import { dollars, durationText, pluralize } from '../../terminal/amounts.ts';

export interface TurnSetup {
  readonly agent: Agent;
  readonly screen: Screen;
  readonly style: Style;
  readonly renderer: EventRenderer;
  /** The total time during which questions were open. */
  readonly waitedMs: () => number;
  /** The answers come from a recording, so the run costs nothing. */
  readonly isReplay: boolean;
}

/** Returns true if the turn succeeded. The listener of the agent's events shows the output. */
export async function runTurn(
  prompt: Prompt,
  { agent, screen, style, renderer, waitedMs, isReplay }: TurnSetup,
): Promise<boolean> {
  const earlierUsd = agent.spending.costUsd;
  const waitedBefore = waitedMs();
  let result: SdkResult | undefined;
  try {
    // Built-in commands were handled before. The agent expands commands from files.
    for await (const line of agent.submit(prompt)) if (line.type === 'result') result = line;
  } catch (thrown) {
    // A bug in Heddle must not end the conversation.
    const why = errorMessage(thrown);
    screen.print(style.paint('red', escapeControls(`An internal error ended this turn: ${why}`)));
  }
  for (const piece of renderer.end()) showPiece(piece, screen);
  if (!result) return false;
  const context = await contextFill(agent);
  const askedMs = waitedMs() - waitedBefore;
  screen.print(endLines({ result, earlierUsd, context, askedMs, isReplay }, style).join('\n'));
  return !result.is_error;
}

export function showPiece(piece: OutputPart, screen: Screen): void {
  switch (piece.kind) {
    case 'line':
      return screen.print(piece.text);
    case 'stream':
      return screen.stream(piece.text);
    case 'end of stream':
      return screen.endStream();
    case 'answer begins':
      return screen.markAnswer();
    case 'retract': {
      const note = screen.retractAnswer() ? piece.erased : piece.left;
      if (note !== undefined) screen.print(note);
    }
  }
}

async function contextFill(agent: Agent): Promise<TurnSummary['context']> {
  const { state, window, thresholds } = await agent.contextUsage();
  const percent = (count: number): number => Math.round((count / window) * 100);
  const used = percent(state.tokens);
  return state.state === 'fine' ? { used } : { used, compactsAt: percent(thresholds.autoCompact) };
}

interface TurnSummary {
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

/** Formats the end of a turn: its error, if there is one, its duration and its cost. */
export function endLines(
  { result, earlierUsd, context, askedMs, isReplay }: TurnSummary,
  { paint, signs }: Style,
): string[] {
  const trouble = troubleOf(result, signs.failed);
  const facts = [
    pluralize(result.num_turns, 'answer'),
    durationText(result.duration_ms - askedMs),
    isReplay ? 'a replay' : costOf(result, earlierUsd),
    fillText(context),
  ];
  return [
    ...(trouble === undefined ? [] : [paint('red', escapeControls(trouble))]),
    paint('dim', `  ${facts.join(` ${signs.dot} `)}`),
  ];
}

function fillText({ used, compactsAt }: TurnSummary['context']): string {
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
