/**
 * Stores the start of each request in the log: the model, the size of its parts, the window and the threshold. The viewer
 * shows them. Nothing depends on them, so logs may lack them.
 */
import type {
  EntryBody,
  ModelPort,
  ModelRecords,
  ModelRequest,
  RequestMessage,
  RequestSizes,
  ToolSpec,
} from '@heddle/core';
import type { Thresholds } from '@heddle/context';
import { JournalError } from '../session/journal/journal.ts';
import { omitUndefined } from '@heddle/core';

interface RequestRecord {
  readonly store: (body: EntryBody) => void;
  readonly thresholdsOf: (model: string) => Pick<Thresholds, 'window' | 'autoCompact'>;
  /** Called with the first record of a stream. */
  readonly answering: () => void;
}

/** Returns a port that stores a `request` entry before each call. */
export function recordRequests(model: ModelPort, record: RequestRecord): ModelPort {
  const send = (request: ModelRequest, signal: AbortSignal): ModelRecords => {
    const { window, autoCompact: threshold } = record.thresholdsOf(request.model);
    storeOrIgnore(record.store, {
      type: 'request',
      model: request.model,
      chars: sizesOf(request),
      window,
      threshold,
    });
    return watchFirst(model(request, signal), record.answering);
  };
  const { searchesWeb, factsOf } = model;
  return Object.assign(send, {
    ...omitUndefined({ searchesWeb }),
    ...(factsOf ? { factsOf: factsOf.bind(model) } : {}),
  });
}

/** The entry is for people. If it cannot be stored, the next entry of the run reports that. */
function storeOrIgnore(store: RequestRecord['store'], body: EntryBody): void {
  try {
    store(body);
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
  }
}

/** Only the first record is watched. All others pass through without a promise of their own. */
function watchFirst(records: ModelRecords, report: () => void): ModelRecords {
  return {
    [Symbol.asyncIterator]() {
      const inner = records[Symbol.asyncIterator]();
      let isFirst = true;
      const next = inner.next.bind(inner);
      inner.next = () => {
        if (!isFirst) return next();
        isFirst = false;
        const first = next();
        first.then(report, () => undefined);
        return first;
      };
      return inner;
    },
  };
}

const NO_SIZES: RequestSizes = { system: 0, tools: 0, messages: 0, results: 0 };

function sizesOf({ system, tools, messages }: ModelRequest): RequestSizes {
  const sizes = { ...NO_SIZES };
  for (const { text } of system) sizes.system += text.length;
  for (const tool of tools) sizes.tools += toolSize(tool);
  for (const message of messages) {
    const own = messageSize(message);
    sizes.messages += own.messages;
    sizes.results += own.results;
  }
  return sizes;
}

/** Messages and tools are the same objects in the next request, so each is measured once. */
const toolSizes = new WeakMap<ToolSpec, number>();
const messageSizes = new WeakMap<RequestMessage, Pick<RequestSizes, 'messages' | 'results'>>();

function toolSize(tool: ToolSpec): number {
  const known = toolSizes.get(tool);
  if (known !== undefined) return known;
  const size = JSON.stringify(tool).length;
  toolSizes.set(tool, size);
  return size;
}

function messageSize(message: RequestMessage): Pick<RequestSizes, 'messages' | 'results'> {
  const known = messageSizes.get(message);
  if (known) return known;
  const size = { messages: 0, results: 0 };
  for (const block of message.content)
    size[block.type === 'tool_result' ? 'results' : 'messages'] += textSize(block);
  messageSizes.set(message, size);
  return size;
}

function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + textSize(inner), 0);
}
