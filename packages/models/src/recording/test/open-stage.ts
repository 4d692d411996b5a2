/** A folder with a recording: a scripted model is recorded, and the file is replayed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock, ModelPort, ModelRecord, ModelRequest } from '@heddle/core';
import { type Script, scriptedModel } from '@heddle/testing';
import type { Environment } from '../../secrets/environment.ts';
import { type Recorded, recordingPort, replayPort, type ReplayPort } from '../index.ts';
import type { MachinePlace } from '../text/places.ts';

export interface Stage {
  readonly file: string;
  readonly troubles: string[];
  text(): string;
  /** The last line, parsed. */
  lastLine(): unknown;
  record(script: Script, more?: RecordingSetup): Extract<Recorded, { ok: true }>;
  play(query?: string, more?: RecordingSetup): Promise<ReplayPort>;
  remove(): void;
}

interface RecordingSetup {
  readonly clock?: Clock;
  readonly environment?: Environment;
  readonly places?: readonly MachinePlace[];
  readonly window?: () => number;
}

export function openStage(): Stage {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-recording-'));
  const file = path.join(folder, 'recording.jsonl');
  const troubles: string[] = [];
  const text = (): string => readFileSync(file, 'utf8');
  return {
    file,
    troubles,
    text,
    lastLine(): unknown {
      return JSON.parse(text().trimEnd().split('\n').at(-1) ?? '');
    },
    record(script, { clock, environment = {}, places = [], window } = {}) {
      const recorded = recordingPort(scriptedModel(script, clock ? { clock } : {}), file, {
        model: 'the-model',
        version: '1',
        places,
        environment,
        ...(clock ? { clock } : {}),
        ...(window ? { window } : {}),
        onTrouble: (message) => troubles.push(message),
      });
      if (!recorded.ok) throw new Error(recorded.message);
      return recorded;
    },
    play: (query = '', { clock, environment = {}, places = [] } = {}) =>
      replayPort(`${file}${query}`, { places, environment, ...(clock ? { clock } : {}) }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function all(
  port: ModelPort,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelRecord[]> {
  const records: ModelRecord[] = [];
  for await (const record of port(request, signal)) records.push(record);
  return records;
}
