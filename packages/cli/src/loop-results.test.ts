/** The loop as a user of the program sees it: results that come early, limits, and compaction that is switched off. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, createTestGate, fail, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { linesOf } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

const makeProject = setUpProjects();

it('shows and stores the result of a call while the model still streams', async () => {
  const gate = createTestGate();
  const project = await makeProject({ 'a.txt': 'the content\n' }, [
    [call('Read', { file_path: 'a.txt' }, 'r1'), say('I also ', gate, 'talk.')],
    say('Done.'),
  ]);
  const stored: string[] = [];
  const { code, stdout } = await project.run(['-p', 'go', '--output-format', 'stream-json', '--verbose'], {
    // Without the early result the gate stays closed, and the run does not end.
    onOutput(output) {
      if (gate.isOpen || !output.includes('"tool_result"')) return;
      stored.push(...sessionFilesIn(path.join(project.folder, '../config')));
      gate.open();
    },
  });
  expect(code).toBe(0);
  expect(stored.join('\n')).toMatch(/tool_result.*the content/);
  expect(linesOf(stdout).at(-1)).toMatchObject({ result: 'Done.', num_turns: 2 });
});

it('does not compact after an overflow if autoCompactEnabled is false', async () => {
  const project = await makeProject({}, () => fail('overflow'));
  const settings = ['--settings', '{"autoCompactEnabled":false}'];
  const { code, stdout } = await project.run(['-p', 'go', ...settings, '--output-format', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ is_error: true, terminal_reason: 'prompt_too_long' });
  expect(project.sent()).toHaveLength(1);
});

it('stores the turn that a limit forbids, and counts it', async () => {
  const project = await makeProject({ 'a.txt': 'x\n' }, [
    call('Read', { file_path: 'a.txt' }, 'r1'),
    say('No.'),
  ]);
  const { code, stdout } = await project.run(['-p', 'go', '--max-turns', '1', '--output-format', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: 'error_max_turns',
    num_turns: 2,
    errors: ['Reached maximum number of turns (1)'],
  });
  const log = sessionFilesIn(path.join(project.folder, '../config')).join('\n');
  expect(log).toMatch(/"max_turns_reached".*"maxTurns":1,"turnCount":2/);
});

function sessionFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
}
