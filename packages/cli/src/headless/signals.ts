/**
 * The first signal ends the turn, which still writes its result; a second one ends the program at once. Not so for SIGHUP:
 * a window that is closed sends two, one from the terminal and one from its shell.
 */

export interface Signals {
  /** Set once a signal came: the code that tells which. */
  exitCode(): number | undefined;
  release(): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function watchSignals(abort: (reason: string) => void): Signals {
  let code: number | undefined;
  const listeners = Object.entries(CODES).map(([signal, signalCode]) => {
    const listener = (): void => {
      if (code !== undefined) return signal === 'SIGHUP' ? undefined : process.exit(code);
      code = signalCode;
      abort(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  // A run may wait for something that keeps no process alive; it must end with its result all the same.
  const alive = setInterval(() => undefined, 2 ** 30);
  return {
    exitCode: () => code,
    release() {
      clearInterval(alive);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
