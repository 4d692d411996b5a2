/** Runs one prompt, and prints its summary line. */
import type { Agent, Prompt, SdkResult } from '@heddle/agent';
import { errorMessage } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { endLines, type TurnSummary } from '../render/end.ts';
import type { EventRenderer } from '../render/event-renderer.ts';
import type { OutputPart, Screen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';

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
  const context = await fillOf(agent);
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

async function fillOf(agent: Agent): Promise<TurnSummary['context']> {
  const { state, window, thresholds } = await agent.contextUsage();
  const percent = (count: number): number => Math.round((count / window) * 100);
  const used = percent(state.tokens);
  return state.state === 'fine' ? { used } : { used, compactsAt: percent(thresholds.autoCompact) };
}
