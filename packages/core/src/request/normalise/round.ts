/** A folded round taken through the steps that follow, to the messages that are sent. Total: both sides are never empty. */
import { type ContentBlock, isThought, text } from '../../messages/blocks.ts';
import type { RequestMessage } from '../../model/port.ts';
import { BEGINNING_MISSING, CONTINUE, NO_CONTENT, ORPHAN_RESULTS } from '../texts.ts';
import { isAnswered, type Round } from './fold.ts';
import type { IdClaims } from './ids.ts';
import {
  isForeign,
  stripBetaBlocks,
  stripForeignThinking,
  stripOldMedia,
  stripTrailingThinking,
} from './model-steps.ts';
import { pairRound } from './pairing.ts';
import {
  isThinkingRefused,
  type RefusedBlocks,
  replaceRefusedAnswer,
  replaceRefusedWords,
} from './refused.ts';
import type { RoundThinking } from '../turn-thinking.ts';
import type { Mend } from './sanitise.ts';

/** What the view says about every round. A change of it makes all of them anew. */
export interface RoundSettings {
  readonly model: string;
  /** Kinds of blocks whose beta is off. */
  readonly refusedKinds: ReadonlySet<string>;
  readonly refusedBlocks: RefusedBlocks;
  /** The hidden first words, made of the user's context. */
  readonly opening: string | undefined;
}

export interface RoundPlace {
  readonly claims: IdClaims;
  readonly mediaBefore: number;
  readonly stripMedia: number;
  /** The server paused this answer, and will go on with it. */
  readonly isPaused: boolean;
}

export interface FinishedRound {
  readonly messages: readonly RequestMessage[];
  /** The sizes of the media in it, also of those that were left out as too old. */
  readonly media: readonly number[];
  readonly mends: readonly string[];
  readonly thinking: RoundThinking;
}

export function finishRound(round: Round, place: RoundPlace, settings: RoundSettings): FinishedRound {
  const mends: string[] = [];
  const mend: Mend = (what) => mends.push(`message ${round.from}: ${what}`);
  const mayBeOpen = place.isPaused && !round.isFirst && !isAnswered(round);

  const paired = pairRound(round, place.claims, mend, mayBeOpen);
  const own = stripForeignThinking(paired.answer, settings.model, mend);
  const allowed = stripBetaBlocks(own, settings.refusedKinds, mend);
  const accepted = replaceRefusedAnswer(
    { answer: allowed, results: paired.results },
    settings.refusedBlocks,
    mend,
  );
  const kept = stripTrailingThinking(accepted.answer, mend).map((part) => part.block);
  const answer = kept.length === 0 ? [text(NO_CONTENT)] : kept;
  const opening = round.isFirst && settings.opening !== undefined ? [text(settings.opening)] : [];
  const words = stripBetaBlocks(
    [...opening, ...round.words].map((block) => ({ block })),
    settings.refusedKinds,
    mend,
  ).map((part) => part.block);
  const said = [
    ...accepted.results,
    ...accepted.retold,
    ...replaceRefusedWords(words, settings.refusedBlocks, mend),
  ];
  if (said.length === 0 && !(mayBeOpen && canGoOn(kept))) said.push(text(insteadOfWords(round)));
  if (!isAnswered(round)) mendSilence(round, said, mend);

  const { blocks, sizes } = stripOldMedia(said, place.mediaBefore, place.stripMedia);
  const messages: RequestMessage[] = [];
  if (!round.isFirst) messages.push({ role: 'assistant', content: answer });
  if (blocks.length > 0) messages.push({ role: 'user', content: blocks });
  const thinking = {
    hasResults: blocks.some((block) => block.type === 'tool_result'),
    startsWithThinking: answer[0] !== undefined && isThought(answer[0]),
    isLost: isForeign(paired.answer, settings.model) || isThinkingRefused(allowed, accepted.answer),
  };
  return { messages, media: sizes, mends, thinking };
}

function insteadOfWords(round: Round): string {
  if (round.results.length > 0) return ORPHAN_RESULTS;
  if (round.words.length > 0) return NO_CONTENT;
  return round.isFirst ? BEGINNING_MISSING : CONTINUE;
}

function mendSilence(round: Round, said: readonly ContentBlock[], mend: Mend): void {
  if (round.isFirst) mend('nothing stood before the first answer');
  else if (said.every((block) => block.type === 'text') && said.length > 0)
    mend('the conversation ended with an answer; the model was asked to continue');
}

/** The API takes an answer to be continued only if there is one, and if it does not end in white space. */
function canGoOn(answer: readonly ContentBlock[]): boolean {
  const last = answer.at(-1);
  return last !== undefined && (last.type !== 'text' || last.text.trimEnd() === last.text);
}
