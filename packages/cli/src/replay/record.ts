/** `--record FILE`: the session's model, with a recording of what passes. */
import path from 'node:path';
import { VERSION } from '@heddle/agent';
import type { ModelPort } from '@heddle/core';
import { findMachinePlaces, type Recorded, recordingPort } from '@heddle/models/recording';
import { configDir } from '../config-dir.ts';
import { modelEnvironment } from '../keys.ts';
import { escapeControls } from '../terminal/escape-controls.ts';

export type RecordedModel =
  | { readonly ok: true; readonly port: ModelPort }
  | { readonly ok: false; readonly message: string };

interface RecordChoice {
  /** As the session calls it. */
  readonly model: string;
  readonly file: string;
  /** What it says it can read at once. */
  readonly window: () => number | undefined;
}

/** What this process records, by its file: a session may change its model, and stays on one recording. */
const running = new Map<string, Extract<Recorded, { ok: true }>>();

/** The file is whole when the process ends, however it ends. */
export function record(port: ModelPort, { model, file, window }: RecordChoice): RecordedModel {
  const name = path.resolve(file);
  const before = running.get(name);
  if (before) return { ok: true, port: before.another(port, window) };
  const recorded = recordingPort(port, file, {
    model,
    window,
    version: VERSION,
    places: findMachinePlaces(configDir(process.env)),
    environment: modelEnvironment(),
    onTrouble: (message) => void process.stderr.write(`heddle: ${escapeControls(message)}\n`),
  });
  if (!recorded.ok) return { ok: false, message: `--record: ${recorded.message}` };
  running.set(name, recorded);
  return recorded;
}
