/**
 * `buildRequest` makes a valid request from any history, and reports its repairs. The builder remembers what it sent.
 * Each request costs only what was added since the last one, and repeats the earlier bytes exactly.
 */
import type { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ModelRequest, ToolSpec } from '../model/port.ts';
import { assembleBody, commonLength, lengthOf, MESSAGE_END } from './serialize.ts';
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
import { contextReminder } from './texts.ts';
import { optionsInTurn } from './turn-thinking.ts';
import type { RequestView } from './view.ts';

export interface BuiltRequest {
  readonly request: ModelRequest;
  /** Repairs of the history, in short sentences. A builder reports each of them once. */
  readonly repairs: readonly string[];
  /** This request does not begin with the bytes of the previous one, so the cached prefix is lost. */
  readonly rewrotePrefix: boolean;
}

export interface RequestBuilder {
  /**
   * Contract:
   * - Does not throw, whatever the history contains, and does not change a message.
   * - The cost is low if `messages` extends those of the last build (`History.extends`, or a copy with the same objects).
   * - A returned request never changes.
   */
  build(view: RequestView, messages: History<Message>): BuiltRequest;
}

export function createRequestBuilder(): RequestBuilder {
  return new Builder();
}

/** Builds a request without an earlier one. Only the end of its head and of its conversation carry cache marks. */
export function buildRequest(view: RequestView, messages: History<Message>): BuiltRequest {
  return createRequestBuilder().build(view, messages);
}

interface Sent {
  readonly head: Head;
  readonly snapshot: Snapshot;
}

class Builder implements RequestBuilder {
  readonly #conversation = new RequestConversation();
  /** The last request that later ones continue. A fork that skips cache writes is not stored here. */
  #sent: Sent | undefined;
  #ends: readonly PlacedMark[] = [];
  readonly #reported = new Set<string>();
  #lastView: RequestView | undefined;
  #lastLoaded: readonly ToolSpec[] | undefined;
  #lastHead: Head | undefined;
  #opening: string | undefined;

  build(view: RequestView, messages: History<Message>): BuiltRequest {
    const snapshot = this.#snapshot(view, messages);
    const head = this.#head(view, snapshot.loaded);

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
    return { request, repairs: this.#newRepairs([...head.repairs, ...snapshot.repairs]), rewrotePrefix };
  }

  #snapshot(view: RequestView, messages: History<Message>): Snapshot {
    if (this.#lastView?.userContext !== view.userContext) this.#opening = openingOf(view);
    const settings = {
      model: view.model,
      opening: this.#opening,
      refusedKinds: rejectedKinds(view),
      // Copied, because the caller may add to the set when the API refuses another block.
      refusedBlocks: new Set(view.refusedBlocks),
      referencesTools: view.referencesTools && view.tools.length > 0,
    };
    return this.#conversation.update(view, settings, messages);
  }

  /** Each request has a new view, but the parts of the head rarely change, so the last head is reused. */
  #head(view: RequestView, loaded: readonly ToolSpec[]): Head {
    const last = this.#lastView;
    const isSame =
      last?.systemPrompt === view.systemPrompt &&
      last.systemContext === view.systemContext &&
      last.tools === view.tools &&
      this.#lastLoaded === loaded;
    const head = isSame && this.#lastHead !== undefined ? this.#lastHead : buildHead(view, loaded);
    this.#lastView = view;
    this.#lastLoaded = loaded;
    this.#lastHead = head;
    return head;
  }

  #newRepairs(repairs: readonly string[]): readonly string[] {
    const unreported = [...new Set(repairs)].filter((repair) => !this.#reported.has(repair));
    for (const repair of unreported) this.#reported.add(repair);
    return unreported;
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
