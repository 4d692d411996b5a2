/** The system clock. */
import type { Clock } from '@heddle/core';

/** The longest delay of Node's timers. Longer ones fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  sleep(ms, signal) {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
    });
  },
};
