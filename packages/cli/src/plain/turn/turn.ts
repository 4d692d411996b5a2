/** One prompt, from its sending to the line that says what it took. */
import type { Agent, SdkResult } from '@heddle/agent';
import { harmless } from '../../terminal/harmless.ts';
import { endLines } from '../render/end.ts';
import type { Piece, Teller } from '../render/teller.ts';
import type { Screen } from '../screen/screen.ts';
import type { Style } from '../style.ts';

export interface TurnSetup {
  readonly agent: Agent;
  readonly screen: Screen;
  readonly style: Style;
  readonly teller: Teller;
}

/** Answers whether it went well. What happens on the way is told by whoever listens to the agent's events. */
export async function runTurn(prompt: string, { agent, screen, style, teller }: TurnSetup): Promise<boolean> {
  const earlierUsd = agent.spending.costUsd;
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
  const contextPercent = await percentOf(agent);
  screen.print(endLines({ result, earlierUsd, contextPercent }, style).join('\n'));
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
  }
}

async function percentOf(agent: Agent): Promise<number> {
  const { state, window } = await agent.contextUsage();
  return Math.round((state.tokens / window) * 100);
}
