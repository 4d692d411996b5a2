/** `--record FILE`: the session's model, with a recording of what passes. */
import { VERSION } from '@heddle/agent';
import type { ModelPort } from '@heddle/core';
import { placesHere, recordingPort } from '@heddle/models/recording';
import { configDir } from '../config-dir.ts';
import { harmless } from '../terminal/harmless.ts';

export type RecordedModel =
  | { readonly ok: true; readonly port: ModelPort }
  | { readonly ok: false; readonly message: string };

/** The file is whole when the process ends, however it ends. */
export function record(port: ModelPort, model: string, file: string): RecordedModel {
  const recorded = recordingPort(port, file, {
    model,
    version: VERSION,
    places: placesHere(configDir(process.env)),
    onTrouble: (message) => void process.stderr.write(`heddle: ${harmless(message)}\n`),
  });
  return recorded.ok ? recorded : { ok: false, message: `--record: ${recorded.message}` };
}
