/**
 * A fake context port: the history passes unchanged, and drain, compaction and autocompaction are
 * scripted.
 */
import {
  type CompactRequest,
  type Compacted,
  type ContextPort,
  type ContextReport,
  type ContextStep,
  History,
  type Message,
  type PreparedHistory,
  type PrepareRequest,
} from '@heddle/core';

export interface FakeContextOptions {
  /** For each iteration: is the prompt over the blocking limit? The last value applies from then on. */
  readonly overLimit?: boolean | readonly boolean[];
  /** Autocompaction of each iteration; `idle` when the list is used up or the loop does not ask for it. */
  readonly autoCompact?: readonly AutoCompactScript[];
  /** Staged collapses. A drain commits them all, a compaction throws them away. */
  readonly staged?: number;
  /** A drain commits nothing although something is staged. */
  readonly drainFails?: boolean;
  readonly compact?: Compactor;
  /** Changes the sent messages, not the stored ones. */
  readonly project?: (messages: History<Message>) => History<Message>;
}

export type AutoCompactScript = 'idle' | 'failed' | { readonly id: string; readonly replacedTokens: number };

export type Compactor = (request: CompactRequest) => Promise<Compacted> | Compacted;

export interface FakeContext extends ContextPort {
  /** The calls of the port, in order. */
  readonly asked: readonly ('prepare' | 'drain' | 'compact')[];
}

export function fakeContext(options: FakeContextOptions = {}): FakeContext {
  const asked: ('prepare' | 'drain' | 'compact')[] = [];
  let staged = options.staged ?? 0;
  let prepared = 0;
  let autoCompacts = 0;

  return {
    asked,
    async *prepare({ messages, autoCompact }: PrepareRequest): AsyncGenerator<ContextStep, PreparedHistory> {
      asked.push('prepare');
      const over = options.overLimit ?? false;
      const overLimit =
        typeof over === 'boolean' ? over : (over[Math.min(prepared, over.length - 1)] ?? false);
      prepared++;
      const script = autoCompact ? (options.autoCompact?.[autoCompacts++] ?? 'idle') : 'idle';
      if (typeof script !== 'string') yield { report: reportOf('autocompact', script.replacedTokens) };
      return {
        messages,
        view: options.project?.(messages) ?? messages,
        overLimit,
        autoCompact: typeof script === 'string' ? { outcome: script } : { outcome: 'compacted', ...script },
      };
    },
    drain() {
      asked.push('drain');
      const committed = options.drainFails === true ? 0 : staged;
      staged -= committed;
      const report = committed === 0 ? undefined : reportOf('drain', committed * 1_000);
      return Promise.resolve({ committed, report });
    },
    async compact(request) {
      asked.push('compact');
      const compacted = await (options.compact ?? compactorTo('Summary of what happened so far.'))(request);
      if (compacted.ok) staged = 0;
      return compacted;
    },
    answered: () => undefined,
    learnWindow: () => undefined,
    staged: () => staged > 0,
  };
}

/** A compactor that replaces the whole history by one hidden message. */
export function compactorTo(summary: string, replacedTokens = 1_000): Compactor {
  let count = 0;
  return () => ({
    ok: true,
    id: `compaction${++count}`,
    messages: History.of<Message>([
      { type: 'user', uuid: `summary${count}`, at: 0, content: summary, isMeta: true },
    ]),
    replacedTokens,
    report: reportOf('reactive_compact', replacedTokens),
  });
}

export function failingCompactor(why = 'The summary did not fit'): Compactor {
  return () => ({ ok: false, why });
}

function reportOf(level: ContextReport['level'], freed: number): ContextReport {
  return { level, tokensBefore: freed + 1_000, tokensAfter: 1_000, rewrotePrefix: true };
}
