/** Records a model: whatever passes through the port, in both directions, goes into a file on its way. */
import type { Clock, ModelPort, ModelRecord, RecordIterator } from '@heddle/core';
import { systemClock } from '../../clock.ts';
import type { Environment } from '../../secrets/environment.ts';
import { FORMAT } from '../format.ts';
import type { MachinePlace } from '../text/places.ts';
import { Scrubber, secretValues } from '../text/scrub.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { openLineFile } from './recording-file.ts';
import { RequestRecorder } from './request-recorder.ts';

export interface RecordingSetup {
  /** As the session calls its model. */
  readonly model: string;
  /** What the model says it can read at once: a replay compacts where the session did. */
  readonly window?: () => number | undefined;
  /** Of the program. */
  readonly version: string;
  /** Folders whose names will be others at a replay. */
  readonly places: readonly MachinePlace[];
  /** Its keys are taken out. */
  readonly environment?: Environment;
  readonly clock?: Clock;
  /** Told once, when nothing more can be recorded. */
  readonly onTrouble: (message: string) => void;
}

export type RecordingPort =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** Another model of the same session, in the same recording. */
      readonly another: (port: ModelPort, window?: () => number | undefined) => ModelPort;
      readonly close: () => void;
    }
  | { readonly ok: false; readonly message: string };

/** The port may be called again while an answer is under way; every attempt has its number. */
export function recordingPort(port: ModelPort, path: string, setup: RecordingSetup): RecordingPort {
  const opened = openLineFile(path, setup.onTrouble);
  if (!opened.ok) return opened;
  const { file } = opened;
  const { model, version: heddle, places, environment = process.env, clock = systemClock } = setup;
  const scrubber = new Scrubber(secretValues(environment));
  const requests = new RequestRecorder(scrubber);
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
      const renderer = new AttemptRecorder({ file, attempt, clock, scrubber, signal });
      const iterator = watched(records, renderer);
      return { [Symbol.asyncIterator]: () => iterator };
    };
    return Object.assign(recording, port);
  }
  return { ok: true, port: around(port, setup.window), another: around, close: file.close };
}

function watched(records: RecordIterator, renderer: AttemptRecorder): RecordIterator {
  const noted = <T>(next: IteratorResult<ModelRecord, T>): IteratorResult<ModelRecord, T> => {
    if (next.done !== true) renderer.note(next.value);
    return next;
  };
  return {
    next: async () => noted(await records.next()),
    async return() {
      renderer.leave();
      return (await records.return?.()) ?? { done: true, value: undefined };
    },
    ...(records.ready
      ? {
          ready() {
            const record = records.ready?.();
            if (record !== undefined) renderer.note(record);
            return record;
          },
        }
      : {}),
  };
}
