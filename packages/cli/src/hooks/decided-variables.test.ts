/** A command runs with the variables that its decision used, also if a hook changes one in between. Through the program. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { linesOf } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const HOST = [
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-hook-events',
];
const PROMPT = { type: 'user', message: { role: 'user', content: 'go' } };
/** The hook ends while the question is open. */
const HOOK =
  'until [ -e "$CLAUDE_PROJECT_DIR/../asked" ]; do sleep 0.05; done; echo "export WHICH=new" > "$CLAUDE_ENV_FILE"';

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
  const read = new Set<string>();
  const open: unknown[] = [];
  let hookEnded = false;
  await run([...HOST, '--permission-prompt-tool', 'stdio'], {
    input: null,
    onStart: ({ stdin }) => stdin?.write(`${JSON.stringify(PROMPT)}\n`),
    onOutput: (stdout, { stdin }) => {
      for (const line of linesOf(stdout)) {
        const text = JSON.stringify(line);
        if (read.has(text)) continue;
        read.add(text);
        const { type, subtype, hook_event: event, request_id: id, request } = line;
        if (type === 'result') stdin?.end();
        if (subtype === 'hook_response' && event === 'CwdChanged') hookEnded = true;
        if (type !== 'control_request' || !isRecord(request)) continue;
        open.push(id);
        writeFileSync(path.join(folder, '../asked'), '');
      }
      if (!hookEnded) return;
      for (const request_id of open.splice(0)) {
        const response = { subtype: 'success', request_id, response: { behavior: 'allow' } };
        stdin?.write(`${JSON.stringify({ type: 'control_response', response })}\n`);
      }
    },
  });
  expect(hookEnded).toBe(true);
  expect(readFileSync(path.join(folder, '../out'), 'utf8')).toBe('WHICH=\nWHICH=new\n');
}, 30_000);
