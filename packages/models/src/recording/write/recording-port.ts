/** Wraps a model port and records requests and responses in a file. */
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
  /** The session's name for its model. */
  readonly model: string;
  /** Returns the context window that the model reported. A replay then compacts at the same points. */
  readonly window?: () => number | undefined;
  /** The version of the program. */
  readonly version: string;
  /** Folders that have other names at a replay. */
  readonly places: readonly MachinePlace[];
  /** Its keys are redacted. */
  readonly environment?: Environment;
  readonly clock?: Clock;
  /** Called once, when recording stops because of an error. */
  readonly onTrouble: (message: string) => void;
}

export type RecordingPort =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** Records another model of the same session in the same file. */
      readonly another: (port: ModelPort, window?: () => number | undefined) => ModelPort;
      readonly close: () => void;
    }
  | { readonly ok: false; readonly message: string };

/** The port may be called again while a response is running, so every attempt has a number. */
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
        for (const line of requests.record(request, now)) file.add(line);
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
