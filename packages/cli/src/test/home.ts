/** A separate home folder for a test: a working folder, a script for the model, and the program that runs there. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ScriptStep } from '@heddle/testing';
import { type Ended, runProgram, type RunOptions } from './program.ts';

export interface Home {
  readonly folder: string;
  readonly run: (argv: readonly string[], more?: Omit<RunOptions, 'cwd'>) => Promise<Ended>;
  /** Writes a script. Returns the name of the model that plays it. */
  readonly script: (steps: readonly ScriptStep[]) => string;
}

/** `diskKib`: the maximum size of a file, to simulate a full disk. */
export function homeFor(program: string, diskKib?: number): Home {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-home-'));
  return {
    folder,
    run(argv, more = {}) {
      if (diskKib === undefined) return runProgram(program, argv, { cwd: folder, ...more });
      const limited = ['-c', `ulimit -f ${diskKib}; exec "$@"`, 'bash', program, ...argv];
      return runProgram('bash', limited, { cwd: folder, ...more });
    },
    script(steps) {
      const file = path.join(folder, 'script.json');
      writeFileSync(file, JSON.stringify(steps));
      return `scripted:${file}`;
    },
  };
}
