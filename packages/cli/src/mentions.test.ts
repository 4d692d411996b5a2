/** Files and resources that a prompt names with `@`, and neighbors of skills and hooks, through the program. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { expect, it } from 'vitest';
import { linesOf } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

const project = setUpProjects();
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('a prompt attaches a file, lines, a folder, an image, a quoted name and a resource of a server', async () => {
  const files = {
    'a.txt': 'The text of a.',
    'b.txt': 'one\ntwo\nthree\nfour\n',
    'sub/inner.txt': 'not read',
    'two words.txt': 'The quoted text.',
  };
  const { run, sent, folder } = await project(files, [[say('Yes.')]]);
  writeFileSync(path.join(folder, 'dot.png'), Buffer.from(PIXEL, 'base64'));
  const config = JSON.stringify({ mcpServers: { notes: testServer('notes') } });
  const names = '@a.txt, @b.txt#L2-3 @sub @dot.png @"two words.txt" @gone.txt @notes:test://notes/1';
  await run(['-p', `Look at ${names}`, '--mcp-config', config]);
  const [request = ''] = sent();
  for (const text of ['The text of a.', 'two', 'three', 'inner.txt', 'The quoted text.', 'image/png'])
    expect(request).toContain(text);
  expect(request).toContain('The notes of notes.');
  for (const text of ['four', 'not read']) expect(request).not.toContain(text);
});

it('a skill in use survives a compaction, and hooks run again after a resume', async () => {
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  const record = 'cat >> "$CLAUDE_PROJECT_DIR/events"';
  const { run, sent, folder } = await project(
    {
      '../config/settings.json': JSON.stringify({
        hooks: { SessionStart: hook(record), UserPromptSubmit: hook('echo From the hook.') },
      }),
      '.claude/skills/style/SKILL.md': '---\nname: style\ndescription: Style\n---\nWrite short words.',
    },
    [
      [call('Skill', { skill: 'style' }, 's1')],
      [say('Loaded.')],
      [say('## Intent\nContinue with style.')],
      [say('Still there.')],
      [say('Resumed.')],
    ],
  );
  const lines = ['go', '/compact', 'and now'].map(
    (content) =>
      `${JSON.stringify({ type: 'user', message: { role: 'user', content }, priority: 'later' })}\n`,
  );
  const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  await run(stream, { input: lines.join('') });
  expect(sent()[3]).toContain('The skill style is in use');
  expect(sent()[3]).toContain('Write short words.');
  await run(['-p', '-c', 'once more']);
  const events = linesOf(readFileSync(path.join(folder, 'events'), 'utf8'));
  expect(events.map(({ source }) => source)).toEqual(['startup', 'compact', 'resume']);
  expect(sent()[4]).toContain('Write short words.');
  expect(sent()[4]?.match(/From the hook\./g)?.length).toBeGreaterThan(1);
});

it('the question of an agent hook attaches no file that a call names', async () => {
  const hook = { type: 'agent', prompt: 'May this run? $ARGUMENTS' };
  const files = {
    '../secret': 'The secret.',
    '../config/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }),
  };
  const { run, sent } = await project(files, [
    [call('Bash', { command: 'echo @../secret now' }, 'b1')],
    [say('{"ok": true}')],
    [say('Done.')],
  ]);
  await run(['-p', 'go']);
  expect(sent()[1]).toContain('echo @../secret now');
  expect(sent().join('')).not.toContain('The secret.');
});
