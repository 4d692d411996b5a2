/**
 * Stores the start of each request in the log: the model, the size of its parts, the window and the threshold. The viewer
 * shows them. Nothing depends on them, so logs may lack them, and the request does not wait for them.
 */
import {
  type EntryBody,
  History,
  type ModelPort,
  type ModelRecords,
  type ModelRequest,
  omitUndefined,
  type RequestMessage,
  type RequestSizes,
  type ToolSpec,
} from '@heddle/core';
import type { Thresholds } from '@heddle/context';

interface RequestRecord {
  readonly store: (body: EntryBody) => void;
  readonly thresholdsOf: (model: string) => Pick<Thresholds, 'window' | 'autoCompact'>;
  /** Called when the request is on its way, while the model answers. */
  readonly sent: () => void;
  /** Called with the first record of a stream. */
  readonly answering: () => void;
}

/** Returns a port that stores a `request` entry for each call, before the first record of its answer. */
export function recordRequests(model: ModelPort, record: RequestRecord): ModelPort {
  const sizes = new RequestSizer();
  const storeEntry = (request: ModelRequest): void => {
    const { window, autoCompact: threshold } = record.thresholdsOf(request.model);
    const chars = sizes.sizesOf(request);
    record.store({ type: 'request', model: request.model, chars, window, threshold });
  };
  const send = (request: ModelRequest, signal: AbortSignal): ModelRecords => {
    const entry = new Deferred([() => storeEntry(request), record.sent]);
    try {
      return watchFirst(model(request, signal), () => entry.run(), record.answering);
    } catch (thrown) {
      entry.run();
      throw thrown;
    }
  };
  const { searchesWeb, factsOf } = model;
  return Object.assign(send, {
    ...omitUndefined({ searchesWeb }),
    ...(factsOf ? { factsOf: factsOf.bind(model) } : {}),
  });
}

/**
 * Work that runs once: when the program has nothing else to do, or earlier if the caller needs it. Errors are ignored: the
 * work is for people or saves time, and an entry that cannot be stored is reported with the next entry of the run.
 */
class Deferred {
  readonly #work: readonly (() => void)[];
  readonly #timer = setImmediate(() => this.run());
  #hasRun = false;

  constructor(work: readonly (() => void)[]) {
    this.#work = work;
  }

  run(): void {
    if (this.#hasRun) return;
    this.#hasRun = true;
    clearImmediate(this.#timer);
    for (const part of this.#work) {
      try {
        part();
      } catch {
        // The run continues without it.
      }
    }
  }
}

/**
 * Calls `begin` before the first record or the end of the stream reaches the caller, then `report` for a first record. All
 * later records pass through without a promise of their own.
 */
function watchFirst(records: ModelRecords, begin: () => void, report: () => void): ModelRecords {
  return {
    [Symbol.asyncIterator]() {
      const inner = records[Symbol.asyncIterator]();
      let isFirst = true;
      const next = inner.next.bind(inner);
      const end = inner.return?.bind(inner);
      inner.next = () => {
        if (!isFirst) return next();
        isFirst = false;
        const first = next();
        first.then(begin, begin);
        first.then(report, () => undefined);
        return first;
      };
      inner.return = () => {
        begin();
        return end ? end() : Promise.resolve({ done: true, value: undefined });
      };
      return inner;
    },
  };
}

const NO_SIZES: RequestSizes = { system: 0, tools: 0, messages: 0, results: 0 };

/** Measures requests. The messages of one that continues the last request are measured from its end on. */
class RequestSizer {
  #measured = History.of<RequestMessage>([]);
  #sizes: Pick<RequestSizes, 'messages' | 'results'> = NO_SIZES;

  sizesOf({ system, tools, messages }: ModelRequest): RequestSizes {
    const continues = messages.extends(this.#measured);
    const sizes = { ...NO_SIZES, ...(continues ? this.#sizes : {}) };
    for (let index = continues ? this.#measured.length : 0; index < messages.length; index++)
      for (const block of messages.at(index)?.content ?? [])
        sizes[block.type === 'tool_result' ? 'results' : 'messages'] += textSize(block);
    this.#measured = messages;
    this.#sizes = { messages: sizes.messages, results: sizes.results };
    for (const { text } of system) sizes.system += text.length;
    for (const tool of tools) sizes.tools += toolSize(tool);
    return sizes;
  }
}

/** Tools are the same objects in the next request, so each is measured once. */
const toolSizes = new WeakMap<ToolSpec, number>();

function toolSize(tool: ToolSpec): number {
  const known = toolSizes.get(tool);
  if (known !== undefined) return known;
  const size = JSON.stringify(tool).length;
  toolSizes.set(tool, size);
  return size;
}

function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + textSize(inner), 0);
}
