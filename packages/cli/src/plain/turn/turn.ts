/** One prompt, from its sending to the line that says what it took. */
import type { Agent, SdkResult } from '@heddle/agent';
import { harmless } from '../../terminal/harmless.ts';
import { endLines, type TurnEnd } from '../render/end.ts';
import type { Piece } from '../render/piece.ts';
import type { Teller } from '../render/teller.ts';
import type { Screen } from '../screen/screen.ts';
import type { Style } from '../style.ts';

export interface TurnSetup {
  readonly agent: Agent;
  readonly screen: Screen;
  readonly style: Style;
  readonly teller: Teller;
  /** How long questions were open so far. */
  readonly waitedMs: () => number;
  /** Nobody is asked: what it costs was paid before. */
  readonly isReplay: boolean;
}

/** Answers whether it went well. What happens on the way is told by whoever listens to the agent's events. */
export async function runTurn(
  prompt: string,
  { agent, screen, style, teller, waitedMs, isReplay }: TurnSetup,
): Promise<boolean> {
  const earlierUsd = agent.spending.costUsd;
  const waitedBefore = waitedMs();
  let result: SdkResult | undefined;
  try {
    // Commands are ours to read: whatever comes here is for the model.
    for await (const line of agent.submit({ content: prompt, verbatim: true }))
      if (line.type === 'result') result = line;
  } catch (thrown) {
    // A bug of ours must not take the conversation with it.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    screen.print(style.paint('red', harmless(`An internal error ended this turn: ${why}`)));
  }
  for (const piece of teller.end()) showPiece(piece, screen);
  if (!result) return false;
  const context = await fillOf(agent);
  const askedMs = waitedMs() - waitedBefore;
  screen.print(endLines({ result, earlierUsd, context, askedMs, isReplay }, style).join('\n'));
  return !result.is_error;
}

export function showPiece(piece: Piece, screen: Screen): void {
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

async function fillOf(agent: Agent): Promise<TurnEnd['context']> {
  const { state, window, thresholds } = await agent.contextUsage();
  const percent = (count: number): number => Math.round((count / window) * 100);
  const used = percent(state.tokens);
  return state.state === 'fine' ? { used } : { used, compactsAt: percent(thresholds.autoCompact) };
}
