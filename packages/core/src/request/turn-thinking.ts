/**
 * Decides whether the current tool turn still has its thinking. A turn begins with a user message without tool results,
 * and continues over answers with calls and messages with results. The API rejects a request for thinking in a turn that
 * does not begin with thinking. A turn loses its thinking when another model wrote a part of it.
 */
import type { RequestOptions } from '../model/port.ts';
import type { RequestSpec } from './request-spec.ts';

export interface TurnThinking {
  /** The turn has an answer already. */
  readonly hasBegun: boolean;
  /** Its first answer begins with thinking, as it is sent. */
  readonly startsWithThinking: boolean;
  /** A part of it was written by another model, or some of its thinking was refused. */
  readonly isLost: boolean;
}

export const NEW_TURN: TurnThinking = { hasBegun: false, startsWithThinking: false, isLost: false };

/** The facts of one round (an answer and the user message after it) that affect the turn. */
export interface RoundThinking {
  readonly hasResults: boolean;
  readonly startsWithThinking: boolean;
  readonly isLost: boolean;
}

export function turnAfter(before: TurnThinking, round: RoundThinking): TurnThinking {
  if (!round.hasResults) return NEW_TURN;
  return {
    hasBegun: true,
    startsWithThinking: before.hasBegun ? before.startsWithThinking : round.startsWithThinking,
    isLost: before.isLost || round.isLost,
  };
}

/** The options of a request, with thinking switched off if the turn cannot have it. */
export function optionsInTurn(
  { options, thinkingAfterLoss }: Pick<RequestSpec, 'options' | 'thinkingAfterLoss'>,
  turn: TurnThinking,
): RequestOptions {
  const { thinking } = options;
  if (thinking === undefined || !turn.hasBegun || thinkingAfterLoss === undefined) return options;
  const isRejected = turn.isLost
    ? thinking.type !== 'disabled'
    : thinking.type === 'enabled' && !turn.startsWithThinking;
  return isRejected ? { ...options, thinking: thinkingAfterLoss } : options;
}
