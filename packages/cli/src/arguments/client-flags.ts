/**
 * Flags that client libraries and scripts pass and that Heddle does not support yet. A flag without effect is ignored.
 * A flag for a missing feature prints a warning, and the run continues. A flag is refused if ignoring it would make the run
 * less careful than the host expects.
 */
export interface ClientFlag {
  readonly takes: 'nothing' | 'value';
  /** The warning about the missing feature, for standard error. Absent if the flag has no effect. */
  readonly lacks?: string;
  readonly isRefused?: true;
}

const CLIENT_FLAGS: Readonly<Record<string, ClientFlag>> = {
  // They ask nothing of us: what they choose does not exist here.
  '--debug-to-stderr': { takes: 'nothing' },
  '--exclude-dynamic-system-prompt-sections': { takes: 'nothing' },
  // The run continues without these features.
  '--thinking-display': { takes: 'value', lacks: 'thinking is shown as the API sends it' },
  // Each narrows what may happen.
  '--restricted': { takes: 'nothing', lacks: 'there is no restricted mode', isRefused: true },
  '--safe-mode': {
    takes: 'nothing',
    lacks: 'there is no safe mode; --bare looks for nothing',
    isRefused: true,
  },
};

export function clientFlag(name: string): ClientFlag | undefined {
  return Object.hasOwn(CLIENT_FLAGS, name) ? CLIENT_FLAGS[name] : undefined;
}
