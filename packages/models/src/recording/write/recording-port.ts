/** Records a model: whatever passes through the port, in both directions, goes into a file on its way. */
import type { Clock, ModelPort, ModelRecord, RecordIterator } from '@heddle/core';
import { systemClock } from '../../clock.ts';
import type { Environment } from '../../secrets/environment.ts';
import { FORMAT } from '../format.ts';
import type { Place } from '../text/places.ts';
import { Scrubber, secretValues } from '../text/scrub.ts';
import { AttemptTeller } from './attempt-teller.ts';
import { openLineFile } from './line-file.ts';
import { RequestTeller } from './requests.ts';

export interface RecordingSetup {
  /** As the session calls its model. */
  readonly model: string;
  /** What the model says it can read at once: a replay compacts where the session did. */
  readonly window?: () => number | undefined;
  /** Of the program. */
  readonly version: string;
  /** Folders whose names will be others at a replay. */
  readonly places: readonly Place[];
  /** Its keys are taken out. */
  readonly environment?: Environment;
  readonly clock?: Clock;
  /** Told once, when nothing more can be recorded. */
  readonly onTrouble: (message: string) => void;
}

export type Recorded =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** Another model of the same session, in the same recording. */
      readonly another: (port: ModelPort, window?: () => number | undefined) => ModelPort;
      readonly close: () => void;
    }
  | { readonly ok: false; readonly message: string };

/** The port may be called again while an answer is under way; every attempt has its number. */
export function recordingPort(port: ModelPort, path: string, setup: RecordingSetup): Recorded {
  const opened = openLineFile(path, setup.onTrouble);
  if (!opened.ok) return opened;
  const { file } = opened;
  const { model, version: heddle, places, environment = process.env, clock = systemClock } = setup;
  const scrubber = new Scrubber(secretValues(environment));
  const requests = new RequestTeller(scrubber);
  const began = clock.now();
  let attempts = 0;
  const at = new Date(began).toISOString();
  const abilities = port.searchesWeb === true ? { searchesWeb: true as const } : {};
  file.add({ type: 'heddle_recording', format: FORMAT, heddle, at, model, ...abilities, places });

  function around(port: ModelPort, window?: () => number | undefined): ModelPort {
    const recording: ModelPort = (request, signal) => {
      const records = port(request, signal)[Symbol.asyncIterator]();
      const attempt = ++attempts;
      file.guard(() => {
        const now = { attempt, at: clock.now() - began, window: window?.() };
        for (const line of requests.tell(request, now)) file.add(line);
      });
      const teller = new AttemptTeller({ file, attempt, clock, scrubber, signal });
      const iterator = watched(records, teller);
      return { [Symbol.asyncIterator]: () => iterator };
    };
    return Object.assign(recording, port);
  }
  return { ok: true, port: around(port, setup.window), another: around, close: file.close };
}

function watched(records: RecordIterator, teller: AttemptTeller): RecordIterator {
  const noted = <T>(next: IteratorResult<ModelRecord, T>): IteratorResult<ModelRecord, T> => {
    if (next.done !== true) teller.note(next.value);
    return next;
  };
  return {
    next: async () => noted(await records.next()),
    async return() {
      teller.leave();
      return (await records.return?.()) ?? { done: true, value: undefined };
    },
    ...(records.ready
      ? {
          ready() {
            const record = records.ready?.();
            if (record !== undefined) teller.note(record);
            return record;
          },
        }
      : {}),
  };
}
