/** The sizes in tokens at which the levels run. All of them follow from the window. */
import type { ContextOptions } from './options.ts';

export interface Thresholds {
  readonly window: number;
  /** The most tokens of the input: the window without the reserve for the answer. A larger request is not sent. */
  readonly blocking: number;
  readonly autoCompact: number;
  readonly warning: number;
  readonly collapse: number;
  readonly snip: number;
  readonly snipTo: number;
  readonly microcompact: number;
}

/** The largest share of a small window that is reserved for the answer. */
const MOST_RESERVED = 0.4;

export function thresholdsOf(
  options: ContextOptions,
  model: string,
  learned = Number.POSITIVE_INFINITY,
): Thresholds {
  const window = Math.max(1, Math.min(options.windowOf(model), learned));
  const usable = (tokens: number): number =>
    Math.floor(tokens - Math.min(options.reservedOutput, tokens * MOST_RESERVED));
  const blocking = usable(window);
  const estimated = Math.min(window, options.autoCompactWindow ?? window);
  const cap = options.autoCompactCap ?? Number.POSITIVE_INFINITY;
  const autoCompact = Math.floor(Math.min(options.autoCompactRatio * estimated, usable(estimated), cap));
  const share = (ratio: number): number => Math.floor(autoCompact * ratio);
  return {
    window,
    blocking,
    autoCompact,
    warning: share(options.warningRatio),
    collapse: share(options.collapse.over),
    snip: share(options.snip.over),
    snipTo: share(options.snip.downTo),
    microcompact: share(options.microcompact.over),
  };
}

export interface WindowState {
  readonly state: 'fine' | 'warning' | 'compaction_due' | 'blocked';
  readonly tokens: number;
  /** The unused part of the input limit, from 0 to 100. */
  readonly percentLeft: number;
}

export function windowState(tokens: number, thresholds: Thresholds): WindowState {
  const { blocking, autoCompact, warning } = thresholds;
  const percentLeft = Math.max(0, Math.min(100, Math.round((1 - tokens / blocking) * 100)));
  if (tokens >= blocking) return { state: 'blocked', tokens, percentLeft };
  if (tokens >= autoCompact) return { state: 'compaction_due', tokens, percentLeft };
  return { state: tokens >= warning ? 'warning' : 'fine', tokens, percentLeft };
}
