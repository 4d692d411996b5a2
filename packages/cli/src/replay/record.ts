/** `--record FILE`: wraps the model of the session to record its requests and answers. */
import path from 'node:path';
import { VERSION } from '@heddle/agent';
import { errorMessage, type ModelPort } from '@heddle/core';
import { findMachinePlaces, type Recorded, recordingPort } from '@heddle/models/recording';
import { configDir } from '../config-dir.ts';
import { modelEnvironment } from '../keys.ts';
import { refuseForeignLink } from '../sessions/export/write-private-file.ts';
import { warn } from '../terminal/write-message.ts';

export type RecordedModel =
  | { readonly ok: true; readonly port: ModelPort }
  | { readonly ok: false; readonly message: string };

interface RecordChoice {
  /** The name of the model in the session. */
  readonly model: string;
  readonly file: string;
  /** The context window of the model, in tokens. */
  readonly window: () => number | undefined;
}

/** The open recordings by file. A session that changes its model continues the same recording. */
const running = new Map<string, Extract<Recorded, { ok: true }>>();

/** Records to the file. The file is valid however the process ends. */
export function record(port: ModelPort, { model, file, window }: RecordChoice): RecordedModel {
  const name = path.resolve(file);
  const before = running.get(name);
  if (before) return { ok: true, port: before.another(port, window) };
  try {
    refuseForeignLink(name);
  } catch (thrown) {
    return { ok: false, message: `--record: ${file} cannot be written: ${errorMessage(thrown)}` };
  }
  const recorded = recordingPort(port, path.normalize(file), {
    model,
    window,
    version: VERSION,
    places: findMachinePlaces(configDir(process.env)),
    environment: modelEnvironment(),
    onTrouble: warn,
  });
  if (!recorded.ok) return { ok: false, message: `--record: ${recorded.message}` };
  running.set(name, recorded);
  return recorded;
}
