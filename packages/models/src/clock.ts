/** The clock of this machine. */
import type { Clock } from '@heddle/core';

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
