/** Compares random scripts that the reader understands with what bash does. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type ReadCommand, readCommand } from '@heddle/tools/shell';
import { observeWorld } from '../../observe-world.ts';
import { mayChangeHome, withoutHome } from '../../shell/earlier-effects.ts';
import { knownVariables } from '../../shell/shell-state.ts';
import { Dice } from '../fuzz.ts';
import { brokenClaims } from './broken-claims.ts';
import { randomScript } from './random-scripts.ts';
import { ENVIRONMENT, FILES, runInBash } from './run-in-bash.ts';

const BATCH = 5_000;

export interface Comparison {
  readonly understood: number;
  readonly commands: number;
  readonly differences: readonly string[];
}

/** Without a container, scripts with a slash do not run: a redirection might leave the working folder. */
const canConfine =
  spawnSync('/usr/bin/bwrap', ['--ro-bind', '/', '/', '--unshare-all', '/bin/true']).status === 0;

export function compareWithBash(count: number, seed: number): Comparison {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-traces-')));
  try {
    const dice = new Dice(seed);
    let total: Comparison = { understood: 0, commands: 0, differences: [] };
    for (let left = count; left > 0; left -= BATCH) {
      const { understood, commands, differences } = compareBatch(
        scriptsFrom(dice, Math.min(left, BATCH)),
        root,
      );
      total = {
        understood: total.understood + understood,
        commands: total.commands + commands,
        differences: [...total.differences, ...differences],
      };
    }
    return total;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Understood = Extract<ReadCommand, { ok: true }>;

function scriptsFrom(dice: Dice, count: number): ReadonlyMap<string, Understood> {
  const scripts = new Map<string, Understood>();
  for (let left = count; left > 0; left--) {
    const text = randomScript(dice);
    const read = readCommand(text);
    const isSafe = canConfine || !text.replaceAll('/dev/null', '').includes('/');
    if (read.ok && read.strange === undefined && isSafe && !setsUnknownTrap(read)) scripts.set(text, read);
  }
  return scripts;
}

/** Bash runs the text of a trap at another time. The reader claims nothing about a text with an unknown value. */
function setsUnknownTrap({ commands }: Understood): boolean {
  return commands.some(
    ({ name, args }) => name?.value === 'trap' && args.some(({ kind }) => kind !== 'literal'),
  );
}

function compareBatch(scripts: ReadonlyMap<string, Understood>, root: string): Comparison {
  const [work, home, traces] = [
    path.join(root, 'in', 'work'),
    path.join(root, 'in', 'home'),
    path.join(root, 'traces'),
  ];
  rmSync(root, { recursive: true, force: true });
  mkdirSync(path.join(work, 'd'), { recursive: true });
  for (const name of FILES) writeFileSync(path.join(work, name), '');
  mkdirSync(home);
  const environment = { ...ENVIRONMENT, HOME: home };
  const world = observeWorld({ root: work, cwd: work, directories: [], home, configDirs: [], environment });
  const texts = [...scripts];
  const runs = runInBash([...scripts.keys()], { work, home, traces }, canConfine);
  const differences = texts.flatMap(([text, written], index) => {
    const run = runs[index];
    if (run === undefined) return [];
    // As for a decision.
    const here = { ...world, changesHome: mayChangeHome(text, written) };
    const read = withoutHome(written, here);
    const isMoved = read.commands.some(({ name }) => name?.kind !== 'literal' || name.value === 'cd');
    const variables = knownVariables(text, read.commands, here);
    const scope = { variables, folders: isMoved ? undefined : [work], world: here };
    return brokenClaims(read, run, scope).map((what) => `${JSON.stringify(text)} ${what}`);
  });
  const commands = runs.reduce((sum, run) => sum + run.commands.length, 0);
  return { understood: scripts.size, commands, differences: [...new Set(differences)] };
}
