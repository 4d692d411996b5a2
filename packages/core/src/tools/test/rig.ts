/** An executor for tests. It records the announced calls, and they start only when the test says so. */
import {
  allowAll,
  contextOf,
  createClock,
  fakeToolHooks,
  type FakeToolHooks,
  type ToolHookScript,
  type VirtualClock,
} from '@heddle/testing';
import type { AuthorizeCall, Json, JsonObject, Tool, ToolUseContext } from '../../index.ts';
import { StreamingToolExecutor, type ToolUpdate } from '../executor.ts';
import type { Slot } from '../slot.ts';

export interface RigOptions {
  readonly authorizeCall?: AuthorizeCall;
  readonly hooks?: ToolHookScript;
  readonly clock?: VirtualClock;
  readonly toolConcurrency?: number;
  readonly abortGraceMs?: number;
  readonly context?: Partial<ToolUseContext>;
}

export class Rig {
  readonly executor: StreamingToolExecutor;
  readonly controller = new AbortController();
  readonly clock: VirtualClock;
  readonly hooks: FakeToolHooks;
  /** The calls that were announced, in order. */
  readonly announced: string[] = [];
  readonly progress: Json[] = [];
  interrupts = 0;
  readonly #ready: Slot[] = [];

  constructor(tools: readonly Tool[], options: RigOptions = {}) {
    this.clock = options.clock ?? createClock();
    this.hooks = fakeToolHooks(options.hooks);
    this.executor = new StreamingToolExecutor({
      pipeline: {
        hooks: this.hooks,
        authorizeCall: options.authorizeCall ?? allowAll,
        redact: (value) => value,
      },
      context: contextOf({ tools, ...options.context }),
      signal: this.controller.signal,
      clock: this.clock,
      limits: {
        toolConcurrency: options.toolConcurrency ?? 10,
        abortGraceMs: options.abortGraceMs ?? 800,
        blockGraceMs: 30_000,
      },
      emit: (update) => this.#observe(update),
      onInterrupt: () => {
        this.interrupts++;
        this.controller.abort('permission denied');
      },
    });
  }

  /** `Read r1` adds a call of that tool with that id. */
  async add(...calls: readonly string[]): Promise<void> {
    for (const call of calls) {
      const [name = '', id = ''] = call.split(' ');
      this.call(name, id);
    }
    await this.rest();
  }

  call(name: string, id: string, input: JsonObject = {}): void {
    this.executor.addTool({ type: 'tool_use', id, name, input });
  }

  async endStream(): Promise<void> {
    this.executor.finishStream();
    await this.rest();
  }

  /** Starts the announced calls, as if the consumer asked for the next event. */
  async begin(...ids: readonly string[]): Promise<void> {
    const chosen = this.#ready.filter(({ block }) => ids.length === 0 || ids.includes(block.id));
    for (const slot of chosen) {
      this.#ready.splice(this.#ready.indexOf(slot), 1);
      this.executor.begin(slot);
    }
    await this.rest();
  }

  /** Starts every call when it is announced, until no call proceeds. */
  async runAll(): Promise<void> {
    while (this.#ready.length > 0) await this.begin();
  }

  results(): string[] {
    return this.executor.takeResults().map(({ block, settled }) => {
      const { content, isError } = settled?.result ?? { content: 'nothing' };
      const words = typeof content === 'string' ? content : JSON.stringify(content);
      return `${block.id}${isError === true ? '!' : ''} ${words}`;
    });
  }

  /** Lets pending work run without advancing the clock. */
  rest(): Promise<void> {
    return this.clock.advance(0);
  }

  #observe(update: ToolUpdate): void {
    if (update.type === 'progress') this.progress.push(update.data);
    if (update.type !== 'ready') return;
    this.announced.push(update.slot.block.id);
    this.#ready.push(update.slot);
  }
}
