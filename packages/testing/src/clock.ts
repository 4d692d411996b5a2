/**
 * A clock without real time. It moves only when it is told to, and then wakes one sleeper after another.
 * Each wakes only after all work of its predecessor has settled. So a run of minutes takes no time and is
 * deterministic.
 */
import { setImmediate } from 'node:timers';
import type { Clock } from '@heddle/core';

export interface VirtualClock extends Clock {
  /** The sleepers, the next one first. */
  readonly pending: readonly PendingTimer[];
  /** Advances by this time and wakes due sleepers in order. Resolves when everything has settled. */
  advance(ms: number): Promise<void>;
  /** Wakes sleepers until none is left. Resolves with the elapsed milliseconds. */
  runUntilIdle(): Promise<number>;
  /** Advances from sleeper to sleeper until the work has settled. Returns the result of the work. */
  run<T>(work: Promise<T>): Promise<T>;
}

export interface PendingTimer {
  /** The time of waking, in the clock's milliseconds. */
  readonly at: number;
}

export interface ClockOptions {
  /** The start time. */
  readonly now?: number;
  /** Advances automatically: whenever everything has settled, to the next sleeper. */
  readonly auto?: boolean;
}

/** 2026-01-01T00:00:00Z: a date that cannot be mistaken for a small number or for today. */
export const VIRTUAL_EPOCH = 1_767_225_600_000;

interface Timer extends PendingTimer {
  readonly wake: () => void;
}

export function createClock(options: ClockOptions = {}): VirtualClock {
  const timers: Timer[] = [];
  let now = options.now ?? VIRTUAL_EPOCH;
  let pumping = false;
  let added = Promise.withResolvers<void>();

  function add(timer: Timer): void {
    insertInOrder(timers, timer);
    added.resolve();
    if (options.auto === true && !pumping) {
      pumping = true;
      setImmediate(pump);
    }
  }

  function wakeNext(until = Number.POSITIVE_INFINITY): boolean {
    const [next] = timers;
    if (next === undefined || next.at > until) return false;
    timers.shift();
    now = Math.max(now, next.at);
    next.wake();
    return true;
  }

  function pump(): void {
    wakeNext();
    pumping = timers.length > 0;
    if (pumping) setImmediate(pump);
  }

  return {
    now: () => now,
    get pending() {
      return timers.map(({ at }) => ({ at }));
    },
    sleep(ms, signal) {
      if (signal.aborted || ms <= 0) return Promise.resolve();
      const { timer, woken } = createTimer(now + ms, signal, timers);
      add(timer);
      return woken;
    },
    async advance(ms) {
      const until = now + ms;
      do await settle();
      while (wakeNext(until));
      now = Math.max(now, until);
      await settle();
    },
    async runUntilIdle() {
      const began = now;
      do await settle();
      while (wakeNext());
      return now - began;
    },
    async run(work) {
      const state = { settled: false };
      const note = () => void (state.settled = true);
      const end = work.then(note, note);
      while (!state.settled) {
        await settle();
        if (state.settled || wakeNext()) continue;
        // No sleeper is left, so the work waits for something else: a gate, or the outside.
        added = Promise.withResolvers<void>();
        await Promise.race([end, added.promise]);
      }
      return work;
    },
  };
}

/** An abort removes the timer from the list. */
function createTimer(
  at: number,
  signal: AbortSignal,
  timers: Timer[],
): { readonly timer: Timer; readonly woken: Promise<void> } {
  const { promise: woken, resolve } = Promise.withResolvers<void>();
  const onAbort = () => {
    timers.splice(timers.indexOf(timer), 1);
    resolve();
  };
  const timer: Timer = {
    at,
    wake() {
      signal.removeEventListener('abort', onAbort);
      resolve();
    },
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return { timer, woken };
}

/** Keeps timers in order of time. Of two for the same instant, the older is woken first. */
function insertInOrder(timers: Timer[], timer: Timer): void {
  let place = timers.length;
  while (place > 0 && (timers[place - 1]?.at ?? 0) > timer.at) place--;
  timers.splice(place, 0, timer);
}

/**
 * Resolves after every promise that can settle by itself: a macrotask begins only when no microtask is
 * left.
 */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
