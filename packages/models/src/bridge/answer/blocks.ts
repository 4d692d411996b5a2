/**
 * Orders blocks that may begin, grow and end in any order, because the loop expects one after another. The
 * first open block is emitted live and the others wait. Text and thinking end when another block begins or
 * the response ends. Later text is a new block.
 */
import { type ApiEvent, type BlockDelta, type ContentBlock, isRecord } from '@heddle/core';

type Kind = 'text' | 'thinking' | 'call';

interface Block {
  readonly kind: Kind;
  /** The provider's id of the block. */
  readonly key: string;
  readonly start: ContentBlock;
  /** Emitted before it as a separate block: data that the provider expects back with it. */
  readonly mark: string | undefined;
  /** The whole JSON of a call. For text, the part that was not emitted yet. */
  text: string;
  /** The number of characters of a call's JSON that were emitted. */
  emitted: number;
  isStarted: boolean;
  /** `unreadable`: it ended with invalid JSON. Either the model wrote it, or the rest is missing. */
  state: 'growing' | 'unreadable' | 'ended';
}

export class Blocks {
  /** The number of complete calls. */
  calls = 0;
  readonly #emit: (event: ApiEvent) => void;
  /** Returns the signature of a thinking block. Called when the block ends. */
  readonly #seal: (key: string) => string;
  readonly #queue: Block[] = [];
  #index = -1;

  constructor(emit: (event: ApiEvent) => void, seal: (key: string) => string) {
    this.#emit = emit;
    this.#seal = seal;
  }

  begin(kind: Kind, key: string, start: ContentBlock, mark?: string): void {
    if (kind === 'call' && this.has(key)) return;
    // A call whose JSON is complete cannot grow any more, so others need not wait for it.
    for (const block of this.#queue) if (block.kind !== 'call' || isObject(block.text)) block.state = 'ended';
    this.#queue.push({ kind, key, start, mark, text: '', emitted: 0, isStarted: false, state: 'growing' });
    this.#advance();
  }

  /** Returns true if the block is still growing. */
  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /**
   * Replaces an open text by a thinking block. If it was started, it starts again with the same index. Returns false if there
   * is no such text.
   */
  replaceText(key: string, thinking: Pick<Block, 'key' | 'start' | 'text'>): boolean {
    const block = this.#find(key);
    if (block?.kind !== 'text') return false;
    if (block.isStarted) this.#index--;
    const replaced: Block = { ...block, kind: 'thinking', ...thinking, mark: undefined, isStarted: false };
    this.#queue.splice(this.#queue.indexOf(block), 1, replaced);
    this.#advance();
    return true;
  }

  grow(key: string, text: string): void {
    const block = this.#find(key);
    if (block === undefined || text === '') return;
    block.text += text;
    if (block === this.#queue[0]) this.#tellGrowth(block);
  }

  /** `whole` is the complete JSON. Some providers send nothing before it. */
  endCall(key: string, whole: string): void {
    const call = this.#find(key);
    if (call === undefined) return;
    if (call.text === '') call.text = whole;
    call.state = call.text.trim() === '' || isObject(call.text) ? 'ended' : 'unreadable';
    this.#advance();
  }

  /** Ends the response. Invalid JSON is the model's own text, unless the response was cut. */
  finish(wasCut: boolean): void {
    const last = this.#queue.at(-1);
    const isPart = wasCut && last?.kind === 'call' && !isObject(last.text);
    for (const block of this.#queue) if (block !== last || !isPart) block.state = 'ended';
    this.#advance();
  }

  /** Ends a broken response. Calls with complete JSON are complete. Every other open block stays open. */
  breakOff(): void {
    for (const block of this.#queue.splice(0)) {
      if (block.kind !== 'call' || !isObject(block.text)) continue;
      this.#startOnce(block);
      this.#tellGrowth(block);
      this.#stop(block);
    }
  }

  #find(key: string): Block | undefined {
    return this.#queue.find((block) => block.key === key && block.state === 'growing');
  }

  #advance(): void {
    for (;;) {
      const [block] = this.#queue;
      if (block === undefined) return;
      this.#startOnce(block);
      this.#tellGrowth(block);
      if (block.state !== 'ended') return;
      this.#stop(block);
      this.#queue.shift();
    }
  }

  #startOnce(block: Block): void {
    if (block.isStarted) return;
    block.isStarted = true;
    if (block.mark !== undefined) {
      this.#start({ type: 'redacted_thinking', data: block.mark });
      this.#emit({ type: 'content_block_stop', index: this.#index });
    }
    this.#start(block.start);
  }

  #start(content_block: ContentBlock): void {
    this.#emit({ type: 'content_block_start', index: ++this.#index, content_block });
  }

  #tellGrowth(block: Block): void {
    const text = block.text.slice(block.emitted);
    if (text === '') return;
    this.#delta(deltaOf(block.kind, text));
    if (block.kind === 'call') block.emitted = block.text.length;
    else block.text = '';
  }

  #delta(delta: BlockDelta): void {
    this.#emit({ type: 'content_block_delta', index: this.#index, delta });
  }

  #stop(block: Block): void {
    if (block.kind === 'thinking') this.#delta({ type: 'signature_delta', signature: this.#seal(block.key) });
    if (block.kind === 'call') this.calls++;
    this.#emit({ type: 'content_block_stop', index: this.#index });
  }
}

function deltaOf(kind: Kind, text: string): BlockDelta {
  if (kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
}

function isObject(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    return isRecord(JSON.parse(json));
  } catch {
    return false;
  }
}
