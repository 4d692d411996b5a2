/** Nothing is allowed that bash cannot parse, or that runs a command or writes a file no rule covers. Bash itself is the judge. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { shell } from './test/ask.ts';
import { Dice, JUDGE, RAN, randomCommand } from './test/fuzz.ts';
import { RULES } from './test/scripts.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const COMMANDS = proving ? 200_000 : 2_000;
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_261_115);

it(`allows none of ${COMMANDS} random commands that it should not (seed ${seed})`, async () => {
  const dice = new Dice(seed);
  const allowed = new Set<string>();
  for (let count = 0; count < COMMANDS; count++) {
    const command = randomCommand(dice);
    if (shell(command, { rules: RULES }).decision === 'allow') allowed.add(command);
  }
  const commands = [...allowed];
  const objections = await judge(commands);
  expect(objections.map(({ index, what }) => `${what}: ${commands[index - 1]}`)).toEqual([]);
  expect(commands.length).toBeGreaterThan(COMMANDS / 50);
});

async function judge(
  commands: readonly string[],
): Promise<{ readonly index: number; readonly what: string }[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-judge-'));
  try {
    const env = { PATH: process.env['PATH'], ALLOWED: RAN.join(' '), LC_ALL: 'C' };
    const child = spawn('bash', ['--norc', '--noprofile', '-c', JUDGE], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(commands.map((command) => `${command}\0`).join(''));
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return output
      .split('\0')
      .filter(Boolean)
      .map((line) => {
        const space = line.indexOf(' ');
        return { index: Number(line.slice(0, space)), what: line.slice(space + 1) };
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
