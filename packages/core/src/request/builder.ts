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
import type { RequestSpec } from './request-spec.ts';

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
  build(spec: RequestSpec, messages: History<Message>): BuiltRequest;
}

export function createRequestBuilder(): RequestBuilder {
  return new Builder();
}

/** Builds a request without an earlier one. Only the end of its head and of its conversation carry cache marks. */
export function buildRequest(spec: RequestSpec, messages: History<Message>): BuiltRequest {
  return createRequestBuilder().build(spec, messages);
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
  #lastSpec: RequestSpec | undefined;
  #lastLoaded: readonly ToolSpec[] | undefined;
  #lastHead: Head | undefined;
  #opening: string | undefined;

  build(spec: RequestSpec, messages: History<Message>): BuiltRequest {
    const snapshot = this.#snapshot(spec, messages);
    const head = this.#head(spec, snapshot.loaded);

    const common = this.#sent === undefined ? 0 : commonWith(this.#sent.snapshot, snapshot);
    const rewrotePrefix =
      this.#sent !== undefined &&
      (common < prefixLength(this.#sent.snapshot) || !isSameHead(this.#sent.head, head));
    const ends = stillStored(this.#ends, common);
    const end = spec.skipCacheWrite ? undefined : snapshot.end;
    const marks = chooseMarks(ends, end, MAX_MARKS - head.marks);
    if (!spec.skipCacheWrite) {
      this.#sent = { head, snapshot };
      this.#ends = remember(ends, end);
    }
    const request: ModelRequest = {
      model: spec.model,
      max_tokens: spec.maxOutputTokens,
      system: head.system,
      tools: head.tools,
      messages: snapshot.messages,
      marks: marks.map(({ message, block }) => ({ message, block })),
      messagesJson: assembleBody(
        snapshot.pieces,
        marks.map((mark) => mark.offset),
      ),
      options: optionsInTurn(spec, snapshot.turn),
    };
    return { request, repairs: this.#newRepairs([...head.repairs, ...snapshot.repairs]), rewrotePrefix };
  }

  #snapshot(spec: RequestSpec, messages: History<Message>): Snapshot {
    if (this.#lastSpec?.userContext !== spec.userContext) this.#opening = openingOf(spec);
    const settings = {
      model: spec.model,
      opening: this.#opening,
      refusedKinds: rejectedKinds(spec),
      // Copied, because the caller may add to the set when the API refuses another block.
      refusedBlocks: new Set(spec.refusedBlocks),
      referencesTools: spec.referencesTools && spec.tools.length > 0,
    };
    return this.#conversation.update(spec, settings, messages);
  }

  /** Each request has a new spec, but the parts of the head rarely change, so the last head is reused. */
  #head(spec: RequestSpec, loaded: readonly ToolSpec[]): Head {
    const last = this.#lastSpec;
    const isSame =
      last?.systemPrompt === spec.systemPrompt &&
      last.systemContext === spec.systemContext &&
      last.tools === spec.tools &&
      this.#lastLoaded === loaded;
    const head = isSame && this.#lastHead !== undefined ? this.#lastHead : buildHead(spec, loaded);
    this.#lastSpec = spec;
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

function openingOf(spec: RequestSpec): string | undefined {
  const entries = Object.entries(spec.userContext).filter(([, value]) => !isBlank(value));
  return entries.length === 0 ? undefined : wellFormed(contextReminder(entries));
}
