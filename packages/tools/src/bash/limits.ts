/** How long a command may take and how much of it is shown. Users know these variables. */
export interface BashLimits {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Characters of output that are shown whole. */
  readonly inlineOutput: number;
  /** A command that has written nothing for so long after something like a question seems to wait for an answer. */
  readonly promptQuietMs: number;
}

const LARGEST_INLINE = 150_000;
/** Node's timers take no more; beyond it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function limitsFrom(environment: Readonly<Record<string, string | undefined>>): BashLimits {
  const maxTimeoutMs = Math.min(numberIn(environment['BASH_MAX_TIMEOUT_MS']) ?? 600_000, LONGEST_TIMER_MS);
  return {
    defaultTimeoutMs: Math.min(numberIn(environment['BASH_DEFAULT_TIMEOUT_MS']) ?? 120_000, maxTimeoutMs),
    maxTimeoutMs,
    inlineOutput: Math.min(numberIn(environment['BASH_MAX_OUTPUT_LENGTH']) ?? 30_000, LARGEST_INLINE),
    promptQuietMs: 5_000,
  };
}

function numberIn(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || undefined);
  return value > 0 ? Math.floor(value) : undefined;
}
