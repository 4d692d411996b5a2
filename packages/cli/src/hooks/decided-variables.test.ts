/** A command runs with the variables that its decision used, also if a hook changes one in between. Through the program. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { linesOf } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const HOST = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const PROMPT = { type: 'user', message: { role: 'user', content: 'go' } };
/** The hook ends while the question is open. */
const HOOK = 'sleep 1; echo "export WHICH=new" > "$CLAUDE_ENV_FILE"; touch ../hook-ended';

it('a variable that a hook changes during a question counts from the next decision on', async () => {
  const hooks = { CwdChanged: [{ hooks: [{ type: 'command', command: HOOK }] }] };
  const files = { '../config/settings.json': JSON.stringify({ hooks }), 'sub/a.txt': 'a' };
  const print = (id: string) => call('Bash', { command: `env echo "WHICH=$WHICH" >> ../../out` }, id);
  const { run, folder } = await project(files, [
    [call('Bash', { command: 'cd sub' }, 'b1')],
    [print('b2')],
    [print('b3')],
    [say('Done.')],
  ]);
  const answered = new Set<unknown>();
  const send = (to: { write: (text: string) => unknown } | null, line: object): void => {
    to?.write(`${JSON.stringify(line)}\n`);
  };
  await run([...HOST, '--permission-prompt-tool', 'stdio'], {
    input: null,
    onStart: ({ stdin }) => send(stdin, PROMPT),
    onOutput: (stdout, { stdin }) => {
      for (const { type, request_id, request } of linesOf(stdout)) {
        if (type === 'result' && !answered.has(type)) {
          answered.add(type);
          stdin?.end();
        }
        if (type !== 'control_request' || !isRecord(request) || answered.has(request_id)) continue;
        answered.add(request_id);
        const response = { subtype: 'success', request_id, response: { behavior: 'allow' } };
        setTimeout(() => send(stdin, { type: 'control_response', response }), 2_500);
      }
    },
  });
  expect(readFileSync(path.join(folder, '../hook-ended'), 'utf8')).toBe('');
  expect(readFileSync(path.join(folder, '../out'), 'utf8')).toBe('WHICH=\nWHICH=new\n');
}, 30_000);
