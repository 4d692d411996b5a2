/** A project on a real disk, and decisions of acceptEdits about calls in it without trust. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll } from 'vitest';
import { authorize } from '../authorize.ts';
import { observeWorld } from '../observe-world.ts';

interface Contents {
  /** The names are relative to the project. */
  readonly files?: readonly string[];
  readonly folders?: readonly string[];
  /** The target of each link, as its text. */
  readonly links?: Readonly<Record<string, string>>;
  /** Entries of the search path in the project. */
  readonly programs?: readonly string[];
}

interface Given {
  readonly deny?: readonly string[];
}

export interface DiskProject {
  readonly top: string;
  readonly decide: (tool: string, input: JsonObject, given?: Given) => string;
  readonly decideCommand: (command: string, given?: Given) => string;
}

/** Makes the project once for all tests of a file, and removes it after them. */
export function diskProject({ files = [], folders = [], links = {}, programs = [] }: Contents): DiskProject {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-project-')));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const top = path.join(base, 'project');
  const home = path.join(base, 'home');
  for (const folder of folders) mkdirSync(path.join(top, folder), { recursive: true });
  for (const file of files) {
    mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
    writeFileSync(path.join(top, file), '');
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(top, name));
  const searched = [...programs.map((name) => path.join(top, name)), '/usr/bin', '/bin'];
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: searched.join(':') };
  const places = { root: top, cwd: top, directories: [], home, configDirs: [], environment };
  const decide: DiskProject['decide'] = (tool, input, { deny = [] } = {}) => {
    const request = { tool, input, readOnly: false, hookDecision: undefined };
    const rules = { deny: deny.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
    return authorize(request, rules, 'acceptEdits', observeWorld(places)).decision;
  };
  return { top, decide, decideCommand: (command, given) => decide('Bash', { command }, given) };
}
