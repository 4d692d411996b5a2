/**
 * `buildRequest`: a valid request from any history, however broken, and a word on what was mended. The builder remembers
 * what it sent, so a request costs what was added since the last one, and the past is sent byte for byte as before.
 */
import type { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ModelRequest } from '../model/port.ts';
import { commonLength, lengthOf } from './bytes.ts';
import { RequestConversation, type Snapshot } from './conversation.ts';
import {
  buildHead,
  chooseMarks,
  type Head,
  isSameHead,
  MAX_MARKS,
  type PlacedMark,
  remember,
  stillStored,
} from './marks.ts';
import { isBlank, wellFormed } from './normalize/clean-json.ts';
import { rejectedKinds } from './normalize/model-steps.ts';
import { assembleBody, MESSAGE_END } from './serialize.ts';
import { contextReminder } from './texts.ts';
import { optionsInTurn } from './turn-thinking.ts';
import type { RequestView } from './view.ts';

export interface BuiltRequest {
  readonly request: ModelRequest;
  /** What was mended, in short sentences. A builder says each only once. */
  readonly repairs: readonly string[];
  /** What the previous request sent is no longer the beginning of this one, so its cached part is lost. */
  readonly rewrotePrefix: boolean;
}

export interface RequestBuilder {
  /**
   * Never throws for any history, and never changes a message. Cheap when `messages` extends those of the last build
   * (`History.extends`, or the same objects in a copy). A request once handed out stays as it is.
   */
  build(view: RequestView, messages: History<Message>): BuiltRequest;
}

export function createRequestBuilder(): RequestBuilder {
  return new Builder();
}

/** A request that stands alone: nothing was sent before it, so nothing is marked but its ends. */
export function buildRequest(view: RequestView, messages: History<Message>): BuiltRequest {
  return createRequestBuilder().build(view, messages);
}

interface Sent {
  readonly head: Head;
  readonly snapshot: Snapshot;
}

class Builder implements RequestBuilder {
  readonly #conversation = new RequestConversation();
  /** The last request that was meant to be continued; a fork that skips cache writes is not. */
  #sent: Sent | undefined;
  #ends: readonly PlacedMark[] = [];
  readonly #reported = new Set<string>();
  #lastView: RequestView | undefined;
  #lastHead: Head | undefined;
  #opening: string | undefined;

  build(view: RequestView, messages: History<Message>): BuiltRequest {
    const head = this.#head(view);
    const settings = {
      model: view.model,
      opening: this.#opening,
      refusedKinds: rejectedKinds(view),
      // A copy: whoever learns of refusals may add to the set.
      refusedBlocks: new Set(view.refusedBlocks),
    };
    const snapshot = this.#conversation.update(view, settings, messages);

    const common = this.#sent === undefined ? 0 : commonWith(this.#sent.snapshot, snapshot);
    const rewrotePrefix =
      this.#sent !== undefined &&
      (common < prefixLength(this.#sent.snapshot) || !isSameHead(this.#sent.head, head));
    const ends = stillStored(this.#ends, common);
    const end = view.skipCacheWrite ? undefined : snapshot.end;
    const marks = chooseMarks(ends, end, MAX_MARKS - head.marks);
    if (!view.skipCacheWrite) {
      this.#sent = { head, snapshot };
      this.#ends = remember(ends, end);
    }
    const request: ModelRequest = {
      model: view.model,
      max_tokens: view.maxOutputTokens,
      system: head.system,
      tools: head.tools,
      messages: snapshot.messages,
      marks: marks.map(({ message, block }) => ({ message, block })),
      messagesJson: assembleBody(
        snapshot.pieces,
        marks.map((mark) => mark.offset),
      ),
      options: optionsInTurn(view, snapshot.turn),
    };
    return { request, repairs: this.#news([...head.repairs, ...snapshot.repairs]), rewrotePrefix };
  }

  /** Views are new for each request, their parts hardly ever. */
  #head(view: RequestView): Head {
    const last = this.#lastView;
    if (last === undefined || last.userContext !== view.userContext) this.#opening = openingOf(view);
    const isSame =
      last?.systemPrompt === view.systemPrompt &&
      last.systemContext === view.systemContext &&
      last.tools === view.tools;
    const head = isSame && this.#lastHead !== undefined ? this.#lastHead : buildHead(view);
    this.#lastView = view;
    this.#lastHead = head;
    return head;
  }

  #news(repairs: readonly string[]): readonly string[] {
    const news = [...new Set(repairs)].filter((repair) => !this.#reported.has(repair));
    for (const repair of news) this.#reported.add(repair);
    return news;
  }
}

/** The bytes of a snapshot that the next request must begin with. */
function prefixLength(snapshot: Snapshot): number {
  return lengthOf(snapshot.pieces) - MESSAGE_END;
}

function commonWith(before: Snapshot, now: Snapshot): number {
  const isSamePast = before.sealed === now.sealed;
  if (isSamePast && (before.open === now.open || before.open.isSealed)) return prefixLength(before);
  return commonLength(before.pieces, now.pieces, isSamePast ? before.sealedLength : 0);
}

function openingOf(view: RequestView): string | undefined {
  const entries = Object.entries(view.userContext).filter(([, value]) => !isBlank(value));
  return entries.length === 0 ? undefined : wellFormed(contextReminder(entries));
}
