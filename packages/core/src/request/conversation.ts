/**
 * The messages of one conversation, from request to request. A closed round is sealed: it is normalized and serialized
 * once. The open round is rebuilt when a message was added to it. Everything is rebuilt if the past changed: by a
 * boundary, a tombstone, refused media, too many media or another model.
 */
import { type ContentBlock, isThinking, text } from '../messages/blocks.ts';
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { RequestMessage, ToolSpec } from '../model/port.ts';
import { ByteTrunk, OPENING, type Pieces, type RoundBytes, serializeRound } from './serialize.ts';
import { type PlacedMark, withoutLoaded } from './marks.ts';
import { fold, isAnswered, type Round } from './normalize/fold.ts';
import { type IdClaims, IdRegister, pairRound } from './normalize/pairing.ts';
import { MediaBudget } from './normalize/media.ts';
import {
  isForeign,
  isThinkingRefused,
  type RejectedBlocks,
  replaceRejectedAnswerBlocks,
  replaceRejectedUserBlocks,
  stripBetaBlocks,
  stripForeignThinking,
  stripOldMedia,
  stripTrailingThinking,
} from './normalize/model-steps.ts';
import type { Repair } from './normalize/sanitize.ts';
import { Survey } from './normalize/survey.ts';
import { renderReferences, withLoaded } from './normalize/tool-references.ts';
import { BEGINNING_MISSING, CONTINUE, NO_CONTENT, ORPHAN_RESULTS } from './texts.ts';
import { NEW_TURN, type RoundThinking, turnAfter, type TurnThinking } from './turn-thinking.ts';
import type { RequestSpec } from './request-spec.ts';

/** The conversation as one request sends it. */
export interface Snapshot {
  readonly messages: History<RequestMessage>;
  /** The bytes of `messages`, without marks and without the closing bracket. */
  readonly pieces: Pieces;
  /** The last position in the conversation that can carry a mark. */
  readonly end: PlacedMark | undefined;
  /** Repairs in the rounds that this request built again. */
  readonly repairs: readonly string[];
  /** Two snapshots of the same sealed part share the bytes of the shorter part (`sealedLength`). */
  readonly sealed: SealedPart;
  readonly sealedLength: number;
  readonly open: BuiltRound;
  /** The tool turn that the request continues. */
  readonly turn: TurnThinking;
  /** The tools that results refer to, in the order in which they were loaded. */
  readonly loaded: readonly ToolSpec[];
}

/** The closed rounds. */
interface SealedPart {
  readonly trunk: ByteTrunk;
  readonly ids: IdRegister;
  readonly media: MediaBudget;
  messages: number;
  /** The tool turn that the last closed round belongs to. */
  turn: TurnThinking;
  loaded: readonly ToolSpec[];
}

interface BuiltRound extends FinishedRound, RoundBytes {
  readonly from: number;
  readonly to: number;
  readonly claims: IdClaims;
  /** If false, the round ends with a text of the builder, which the next message replaces. */
  readonly isAnswered: boolean;
  isSealed: boolean;
}

export class RequestConversation {
  #source: History<Message> = History.of<Message>([]);
  #survey = new Survey();
  #settings: RoundSettings | undefined;
  #stripMedia = 0;
  /** The tools of the spec if results refer to all of them. The API refuses a request whose tools are all deferred. */
  #allLoaded: readonly ToolSpec[] | undefined;

  #sealed = emptyPart();
  /** The first message of the open round. */
  #from = 0;
  #open: BuiltRound | undefined;
  #sent = History.of<RequestMessage>([]);

  update(spec: RequestSpec, settings: RoundSettings, messages: History<Message>): Snapshot {
    if (!messages.startsWith(this.#source)) this.#survey = new Survey();
    const isOther = this.#allLoaded !== undefined && this.#allLoaded !== spec.tools;
    const isNew = this.#survey.isFresh || isOther || !isSame(settings, this.#settings);
    const touched = this.#survey.read(messages);
    this.#source = messages;
    this.#settings = settings;

    if (isNew || touched <= this.#from) {
      this.#allLoaded = undefined;
      this.#restart();
    } else if (touched < messages.length) this.#open = undefined;
    const snapshot = this.#advanceWithTools(spec, settings);
    const strip = snapshot.sealed.media.excess(snapshot.open.media);
    if (strip === this.#stripMedia) return snapshot;

    this.#stripMedia = strip;
    this.#restart();
    return this.#advanceWithTools(spec, settings);
  }

  /** Sends references as text if no tool would be left that is not deferred. */
  #advanceWithTools(spec: RequestSpec, settings: RoundSettings): Snapshot {
    const asText = { ...settings, referencesTools: false };
    if (this.#allLoaded !== undefined) return this.#advance(spec, asText);
    const snapshot = this.#advance(spec, settings);
    if (snapshot.loaded.length === 0 || withoutLoaded(spec.tools, snapshot.loaded).length > 0)
      return snapshot;
    this.#allLoaded = spec.tools;
    this.#restart();
    return this.#advance(spec, asText);
  }

  #restart(): void {
    this.#sealed = emptyPart();
    this.#from = this.#survey.start;
    this.#open = undefined;
    this.#sent = History.of<RequestMessage>([]);
  }

  #advance(spec: RequestSpec, settings: RoundSettings): Snapshot {
    const sealed = this.#sealed;
    const known = this.#open;
    const repairs: (readonly string[])[] = [];
    // `base` is the part of the last request that this one repeats. Sharing it saves a copy of the history.
    let base = known === undefined ? first(this.#sent, sealed.messages) : this.#sent;
    const fresh: RequestMessage[] = [];

    const build = (round: Round, isPaused: boolean): BuiltRound => {
      repairs.push(round.repairs);
      if (known !== undefined && round.from === known.from) {
        if (round.to === known.to && known.isAnswered) return known;
        base = first(base, sealed.messages);
      }
      const built = this.#build(round, isPaused, settings);
      repairs.push(built.repairs);
      fresh.push(...built.messages);
      return built;
    };

    const input = { messages: this.#source, survey: this.#survey };
    const last = fold(input, this.#from, sealed.messages === 0, (round) => this.#seal(build(round, false)));
    const open = build(last, spec.continuesAnswer);
    this.#from = open.from;
    this.#open = open;
    this.#sent = base.append(fresh);
    return { ...this.#parts(open), messages: this.#sent, repairs: repairs.flat() };
  }

  #build(round: Round, isPaused: boolean, settings: RoundSettings): BuiltRound {
    const claims = this.#sealed.ids.claims();
    const place = { claims, mediaBefore: this.#sealed.media.count, stripMedia: this.#stripMedia, isPaused };
    const finished = finishRound(round, place, settings);
    return {
      ...finished,
      ...serializeRound(finished.messages, round.isFirst),
      from: round.from,
      to: round.to,
      claims,
      isAnswered: isAnswered(round),
      isSealed: false,
    };
  }

  #seal(round: BuiltRound): void {
    this.#sealed.trunk.append(round.head);
    this.#sealed.trunk.append(round.rest);
    this.#sealed.messages += round.messages.length;
    this.#sealed.media.add(round.media);
    this.#sealed.turn = turnAfter(this.#sealed.turn, round.thinking);
    this.#sealed.loaded = withLoaded(this.#sealed.loaded, round.loaded);
    round.claims.keep();
    round.isSealed = true;
  }

  #parts(open: BuiltRound): Omit<Snapshot, 'messages' | 'repairs'> {
    const sealed = this.#sealed;
    const offset = sealed.trunk.length + open.head.length;
    const { mark } = open;
    return {
      pieces: [sealed.trunk.bytes(), open.head, open.rest],
      end: mark && { message: sealed.messages + mark.message, block: mark.block, offset },
      sealed,
      sealedLength: sealed.trunk.length,
      open,
      turn: turnAfter(sealed.turn, open.thinking),
      loaded: withLoaded(sealed.loaded, open.loaded),
    };
  }
}

function emptyPart(): SealedPart {
  return {
    trunk: new ByteTrunk(OPENING),
    ids: new IdRegister(),
    media: new MediaBudget(),
    messages: 0,
    turn: NEW_TURN,
    loaded: [],
  };
}

function isSame(now: RoundSettings, before: RoundSettings | undefined): boolean {
  return (
    now.model === before?.model &&
    now.opening === before.opening &&
    now.referencesTools === before.referencesTools &&
    isSameSet(now.refusedKinds, before.refusedKinds) &&
    isSameSet(now.refusedBlocks, before.refusedBlocks)
  );
}

function isSameSet(now: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  if (now.size !== before.size) return false;
  for (const item of now) if (!before.has(item)) return false;
  return true;
}

function first<T>(history: History<T>, count: number): History<T> {
  return history.length === count ? history : History.of(history.since(0).slice(0, count));
}

/** The parts of the spec that every round depends on. If they change, all rounds are rebuilt. */
interface RoundSettings {
  readonly model: string;
  /** Kinds of blocks whose beta is off. */
  readonly refusedKinds: ReadonlySet<string>;
  readonly refusedBlocks: RejectedBlocks;
  /** The hidden text before the first user message. It contains the user context. */
  readonly opening: string | undefined;
  /** Results may refer to tools. */
  readonly referencesTools: boolean;
}

interface RoundPlace {
  readonly claims: IdClaims;
  readonly mediaBefore: number;
  readonly stripMedia: number;
  /** The server paused this answer and continues it in the next response. */
  readonly isPaused: boolean;
}

interface FinishedRound {
  readonly messages: readonly RequestMessage[];
  /** The sizes of all its media, including those that were left out as too old. */
  readonly media: readonly number[];
  readonly repairs: readonly string[];
  readonly thinking: RoundThinking;
  /** The tools that its results refer to. */
  readonly loaded: readonly ToolSpec[];
}

function finishRound(round: Round, place: RoundPlace, settings: RoundSettings): FinishedRound {
  const repairs: string[] = [];
  const repair: Repair = (what) => repairs.push(`message ${round.from}: ${what}`);
  const mayBeOpen = place.isPaused && !round.isFirst && !isAnswered(round);

  const paired = pairRound(round, place.claims, repair, mayBeOpen);
  const rendered = renderReferences(paired.results, settings.referencesTools);
  const own = stripForeignThinking(paired.answer, settings.model, repair);
  const allowed = stripBetaBlocks(own, settings.refusedKinds, repair);
  const accepted = replaceRejectedAnswerBlocks(
    { answer: allowed, results: rendered.results },
    settings.refusedBlocks,
    repair,
  );
  const kept = stripTrailingThinking(accepted.answer, repair).map((part) => part.block);
  const answer = kept.length === 0 ? [text(NO_CONTENT)] : kept;
  const opening = round.isFirst && settings.opening !== undefined ? [text(settings.opening)] : [];
  const userContent = stripBetaBlocks(
    [...opening, ...round.userBlocks].map((block) => ({ block })),
    settings.refusedKinds,
    repair,
  ).map((part) => part.block);
  const userBlocks = [
    ...accepted.results,
    ...accepted.asText,
    ...replaceRejectedUserBlocks(userContent, settings.refusedBlocks, repair),
  ];
  if (userBlocks.length === 0 && !(mayBeOpen && canBeContinued(kept)))
    userBlocks.push(text(placeholderFor(round)));
  if (!isAnswered(round)) reportMissingMessage(round, userBlocks, repair);

  const { blocks, sizes } = stripOldMedia(userBlocks, place.mediaBefore, place.stripMedia);
  const messages: RequestMessage[] = [];
  if (!round.isFirst) messages.push({ role: 'assistant', content: answer });
  if (blocks.length > 0) messages.push({ role: 'user', content: blocks });
  const thinking = {
    hasResults: blocks.some((block) => block.type === 'tool_result'),
    startsWithThinking: answer[0] !== undefined && isThinking(answer[0]),
    isLost: isForeign(paired.answer, settings.model) || isThinkingRefused(allowed, accepted.answer),
  };
  const loaded = accepted.results.flatMap((result) => rendered.loadedBy.get(result) ?? []);
  return { messages, media: sizes, repairs, thinking, loaded };
}

/** The text that is sent if the user's side of a round is empty. */
function placeholderFor(round: Round): string {
  if (round.results.length > 0) return ORPHAN_RESULTS;
  if (round.userBlocks.length > 0) return NO_CONTENT;
  return round.isFirst ? BEGINNING_MISSING : CONTINUE;
}

function reportMissingMessage(round: Round, userBlocks: readonly ContentBlock[], repair: Repair): void {
  if (round.isFirst) repair('nothing stood before the first answer');
  else if (userBlocks.every((block) => block.type === 'text') && userBlocks.length > 0)
    repair('the conversation ended with an answer; the model was asked to continue');
}

/** The API continues an answer only if it is not empty and does not end with white space. */
function canBeContinued(answer: readonly ContentBlock[]): boolean {
  const last = answer.at(-1);
  return last !== undefined && (last.type !== 'text' || last.text.trimEnd() === last.text);
}
