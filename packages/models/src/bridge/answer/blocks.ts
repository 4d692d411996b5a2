/**
 * Blocks that may begin, grow and end in any order, told one after another as the loop wants them. The first is told live,
 * the others wait their turn. Text and thinking end when something else begins, or with the answer: more of them is a new
 * block.
 */
import type { ApiEvent, BlockDelta, ContentBlock } from '@heddle/core';

type Kind = 'text' | 'thinking' | 'call';

interface Block {
  readonly kind: Kind;
  /** The provider's name for it. */
  readonly key: string;
  readonly start: ContentBlock;
  /** Told before it, as a block of its own: what the provider wants back with it. */
  readonly mark: string | undefined;
  /** All of a call's JSON; of prose, what was not told yet. */
  text: string;
  /** Characters of a call's JSON that were told. */
  told: number;
  isStarted: boolean;
  /** `unreadable`: it ended with JSON that is none. Perhaps the model wrote so, perhaps the rest is missing. */
  state: 'growing' | 'unreadable' | 'ended';
}

export class Blocks {
  /** Complete calls so far. */
  calls = 0;
  readonly #tell: (event: ApiEvent) => void;
  /** The signature of a thinking, asked for when it ends. */
  readonly #seal: (key: string) => string;
  readonly #queue: Block[] = [];
  #index = -1;

  constructor(tell: (event: ApiEvent) => void, seal: (key: string) => string) {
    this.#tell = tell;
    this.#seal = seal;
  }

  begin(kind: Kind, key: string, start: ContentBlock, mark?: string): void {
    if (kind === 'call' && this.has(key)) return;
    // A call whose JSON is complete cannot grow any more, and need not keep others waiting.
    for (const block of this.#queue) if (block.kind !== 'call' || isObject(block.text)) block.state = 'ended';
    this.#queue.push({ kind, key, start, mark, text: '', told: 0, isStarted: false, state: 'growing' });
    this.#advance();
  }

  /** Is it growing? */
  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  grow(key: string, text: string): void {
    const block = this.#find(key);
    if (block === undefined || text === '') return;
    block.text += text;
    if (block === this.#queue[0]) this.#tellGrowth(block);
  }

  /** `whole`: all of its JSON. Some providers send nothing before it. */
  endCall(key: string, whole: string): void {
    const call = this.#find(key);
    if (call === undefined) return;
    if (call.text === '') call.text = whole;
    call.state = call.text.trim() === '' || isObject(call.text) ? 'ended' : 'unreadable';
    this.#advance();
  }

  /** The answer is over. Unreadable JSON is what the model wrote; at the end of an answer that was cut, it is a part of it. */
  finish(wasCut: boolean): void {
    const last = this.#queue.at(-1);
    const isPart = wasCut && last?.kind === 'call' && !isObject(last.text);
    for (const block of this.#queue) if (block !== last || !isPart) block.state = 'ended';
    this.#advance();
  }

  /** The answer broke off. Calls whose JSON is complete are complete; whatever else was growing is left open. */
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
      this.#tell({ type: 'content_block_stop', index: this.#index });
    }
    this.#start(block.start);
  }

  #start(content_block: ContentBlock): void {
    this.#tell({ type: 'content_block_start', index: ++this.#index, content_block });
  }

  #tellGrowth(block: Block): void {
    const text = block.text.slice(block.told);
    if (text === '') return;
    this.#delta(deltaOf(block.kind, text));
    if (block.kind === 'call') block.told = block.text.length;
    else block.text = '';
  }

  #delta(delta: BlockDelta): void {
    this.#tell({ type: 'content_block_delta', index: this.#index, delta });
  }

  #stop(block: Block): void {
    if (block.kind === 'thinking') this.#delta({ type: 'signature_delta', signature: this.#seal(block.key) });
    if (block.kind === 'call') this.calls++;
    this.#tell({ type: 'content_block_stop', index: this.#index });
  }
}

function deltaOf(kind: Kind, text: string): BlockDelta {
  if (kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
}

function isObject(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
