/** Tasks that ran in the background when the program ended are reported once, when the session continues. */
import { globSync, readFileSync } from 'node:fs';
import { call, hang, say } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const FLAGS = ['--output-format', 'stream-json', '--verbose', '--allowed-tools', 'Bash'];
const start = call('Bash', { command: 'sleep 600', run_in_background: true }, 'b1');

/** The attachments in the log that tell of a task, in order. */
function noticesIn(folder: string): string[] {
  return globSync(`${folder}/config/projects/*/*.jsonl`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/"kind":"task_ended".*?"text":"([^"]*)"/g)].map(
      ([, text = '']) => text,
    ),
  );
}

it.each([
  ['by itself', say('It runs.'), undefined, 'the session ended'],
  ['by a crash', hang(), 'SIGKILL', 'the program was interrupted'],
] as const)('after an end %s', async (_how, last, signal, why) => {
  const { run, script, folder } = homeFor(installed.program);
  const go = (...more: readonly string[]) => ['-p', 'go', ...FLAGS, '--model', ...more];
  await run(go(script([start, last])), {
    onOutput(stdout, child) {
      if (signal && stdout.includes('Started in the background')) child.kill(signal);
    },
  });
  expect(noticesIn(folder)).toEqual([]);

  const looks = [call('Bash', { command: 'true' }, 'b2'), say('So.')];
  expect(await run(go(script(looks), '--continue'))).toMatchObject({ code: 0 });
  expect(noticesIn(folder)).toEqual([expect.stringMatching(`\\(sleep 600\\) was ended: ${why}\\.`)]);
  expect(await run(go(script([say('And so.')]), '--continue'))).toMatchObject({ code: 0 });
  expect(noticesIn(folder)).toHaveLength(1);
});
