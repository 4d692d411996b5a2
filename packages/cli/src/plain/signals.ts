/**
 * Signals from outside: the first one ends the conversation in order, a second one at once. Not so for SIGHUP: a window
 * that is closed sends two, one from the terminal and one from its shell.
 */

const CODES = { SIGTERM: 143, SIGHUP: 129 } as const;

export interface TerminalSignals {
  /** Set once a signal came: the code that tells which. */
  exitCode(): number | undefined;
  release(): void;
}

export function watchTerminalSignals(conversation: { leaveNow(): void; interrupt(): void }): TerminalSignals {
  let code: number | undefined;
  const listeners = Object.entries(CODES).map(([signal, signalCode]) => {
    const listener = (): void => {
      if (code !== undefined) return signal === 'SIGHUP' ? undefined : process.exit(code);
      code = signalCode;
      conversation.leaveNow();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  // A terminal that reads keys sends none; one that reads lines does, and so may anybody else.
  const interrupt = (): void => conversation.interrupt();
  process.on('SIGINT', interrupt);
  // A turn may wait for something that keeps no process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  return {
    exitCode: () => code,
    release() {
      clearInterval(alive);
      process.off('SIGINT', interrupt);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
