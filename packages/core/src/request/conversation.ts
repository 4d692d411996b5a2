/**
 * The messages of one conversation, from request to request. Closed rounds are sealed: normalised and serialised once,
 * then only ever referred to. The open round is made anew when something came to it. Only what changes the past (a
 * boundary, a tombstone, refused media, too many media, another model) makes everything anew.
 */
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { RequestMessage } from '../model/port.ts';
import { ByteTrunk, type Pieces } from './bytes.ts';
import type { PlacedMark } from './marks.ts';
import { fold, isAnswered, type Round } from './normalise/fold.ts';
import { type IdClaims, IdRegister } from './normalise/ids.ts';
import { MediaBudget } from './normalise/media-budget.ts';
import { type FinishedRound, finishRound, type RoundSettings } from './normalise/round.ts';
import { Survey } from './normalise/survey.ts';
import { OPENING, type RoundBytes, serialiseRound } from './serialise.ts';
import { NEW_TURN, turnAfter, type TurnThinking } from './turn-thinking.ts';
import type { RequestView } from './view.ts';

/** The conversation as one request sends it. */
export interface Snapshot {
  readonly messages: History<RequestMessage>;
  /** The bytes of `messages`, without marks and without the closing bracket. */
  readonly pieces: Pieces;
  /** Where the conversation could carry a mark at its end. */
  readonly end: PlacedMark | undefined;
  /** All that was mended in what was made anew. */
  readonly mends: readonly string[];
  /** Two snapshots of the same sealed part share their first `sealedLength` bytes (of the smaller one). */
  readonly sealed: SealedPart;
  readonly sealedLength: number;
  readonly open: BuiltRound;
  /** The tool turn that the request continues. */
  readonly turn: TurnThinking;
}

/** The closed rounds. */
interface SealedPart {
  readonly trunk: ByteTrunk;
  readonly ids: IdRegister;
  readonly media: MediaBudget;
  messages: number;
  /** The tool turn that the last closed round belongs to. */
  turn: TurnThinking;
}

interface BuiltRound extends FinishedRound, RoundBytes {
  readonly from: number;
  readonly to: number;
  readonly claims: IdClaims;
  /** An open round without an answer to it ends in our own words: the next message will replace them. */
  readonly isAnswered: boolean;
  isSealed: boolean;
}

export class Conversation {
  #source: History<Message> = History.of<Message>([]);
  #survey = new Survey();
  #settings: RoundSettings | undefined;
  #stripMedia = 0;

  #sealed = emptyPart();
  /** The first message of the open round. */
  #from = 0;
  #open: BuiltRound | undefined;
  #sent = History.of<RequestMessage>([]);

  update(view: RequestView, settings: RoundSettings, messages: History<Message>): Snapshot {
    if (!continues(messages, this.#source)) this.#survey = new Survey();
    const isNew = this.#survey.isFresh || !isSame(settings, this.#settings);
    const touched = this.#survey.read(messages);
    this.#source = messages;
    this.#settings = settings;

    if (isNew || touched <= this.#from) this.#restart();
    else if (touched < messages.length) this.#open = undefined;
    const snapshot = this.#advance(view, settings);
    const strip = snapshot.sealed.media.excess(snapshot.open.media);
    if (strip === this.#stripMedia) return snapshot;

    this.#stripMedia = strip;
    this.#restart();
    return this.#advance(view, settings);
  }

  #restart(): void {
    this.#sealed = emptyPart();
    this.#from = this.#survey.start;
    this.#open = undefined;
    this.#sent = History.of<RequestMessage>([]);
  }

  #advance(view: RequestView, settings: RoundSettings): Snapshot {
    const sealed = this.#sealed;
    const known = this.#open;
    const mends: (readonly string[])[] = [];
    // What the last request sent and this one sends again, and what comes behind it: the two share their past.
    let base = known === undefined ? first(this.#sent, sealed.messages) : this.#sent;
    const fresh: RequestMessage[] = [];

    const build = (round: Round, isPaused: boolean): BuiltRound => {
      mends.push(round.mends);
      if (known !== undefined && round.from === known.from) {
        if (round.to === known.to && known.isAnswered) return known;
        base = first(base, sealed.messages);
      }
      const built = this.#build(round, isPaused, settings);
      mends.push(built.mends);
      fresh.push(...built.messages);
      return built;
    };

    const input = { messages: this.#source, survey: this.#survey };
    const last = fold(input, this.#from, sealed.messages === 0, (round) => this.#seal(build(round, false)));
    const open = build(last, view.continuesAnswer);
    this.#from = open.from;
    this.#open = open;
    this.#sent = base.append(fresh);
    return { ...this.#parts(open), messages: this.#sent, mends: mends.flat() };
  }

  #build(round: Round, isPaused: boolean, settings: RoundSettings): BuiltRound {
    const claims = this.#sealed.ids.claims();
    const place = { claims, mediaBefore: this.#sealed.media.count, stripMedia: this.#stripMedia, isPaused };
    const finished = finishRound(round, place, settings);
    return {
      ...finished,
      ...serialiseRound(finished.messages, round.isFirst),
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
    round.claims.keep();
    round.isSealed = true;
  }

  #parts(open: BuiltRound): Pick<Snapshot, 'pieces' | 'end' | 'sealed' | 'sealedLength' | 'open' | 'turn'> {
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
  };
}

/** A history that was copied on its way (a projection that changed nothing) is still the same. */
function continues(now: History<Message>, before: History<Message>): boolean {
  if (now.extends(before)) return true;
  if (now.length < before.length) return false;
  for (let index = 0; index < before.length; index++) if (now.at(index) !== before.at(index)) return false;
  return true;
}

function isSame(now: RoundSettings, before: RoundSettings | undefined): boolean {
  return (
    now.model === before?.model &&
    now.opening === before.opening &&
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
