/** Files that flags name as settings, servers or plugins, and edits of them in the real program. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();
const RUN = ['-p', 'go', '--permission-mode', 'acceptEdits', '--output-format', 'json'];

/** The calls that needed a question, which has no answer here. */
function deniedCalls(stdout: string): unknown[] {
  const denials = linesOf(stdout).at(-1)?.['permission_denials'];
  return Array.isArray(denials) ? denials.map(({ tool_use_id: id }: { tool_use_id: string }) => id) : [];
}

describe('files that flags name as settings', () => {
  const files = {
    'conf/servers.json': '{"mcpServers":{}}',
    'conf/own.json': '{}',
    'managed.json': '{}',
    'plug/.claude-plugin/plugin.json': '{"name":"plug"}',
    'plug/scripts/a.sh': 'true',
    'src/a.txt': 'a\n',
  };
  const flags = [
    '--mcp-config=conf/servers.json',
    '--settings=conf/own.json',
    '--managed-settings=managed.json',
    '--plugin-dir=plug',
  ];
  const commands = [
    'echo x > conf/servers.json',
    'cp src/a.txt conf/servers.json',
    'mv conf moved',
    'rm -r conf',
    'sed -i s/a/b/ conf/own.json',
    'mkdir -p plug/hooks',
    'echo x > plug/hooks.json',
    'echo x > plug/scripts/a.sh',
    'cd conf && touch own.json',
    'tee conf/servers.json < src/a.txt',
    'cp src/a.txt managed.json',
    'mkdir src/.claude-plugin',
  ];

  it('are not edited in acceptEdits without a question', async () => {
    const calls = [
      ...commands.map((command, at) => call('Bash', { command }, `b${at}`)),
      call('Write', { file_path: 'plug/hooks/hooks.json', content: '{}' }, 'w1'),
      call('Write', { file_path: 'plug/skills/x/SKILL.md', content: 'x' }, 'w2'),
      call('Bash', { command: 'touch src/b.txt plugin.txt' }, 'fine'),
    ];
    const { run, folder } = await project(files, [calls, [say('Done.')]]);
    const { stdout } = await run([...RUN, ...flags]);
    expect(deniedCalls(stdout)).toEqual([...commands.map((_, at) => `b${at}`), 'w1', 'w2']);
    expect(existsSync(path.join(folder, 'src/b.txt'))).toBe(true);
  });

  it('of a project that is a plugin leave its other files open', async () => {
    const calls = [
      call('Bash', { command: 'echo x > hooks/hooks.json' }, 'hooks'),
      call('Write', { file_path: 'commands/a.md', content: '!`touch x`' }, 'command'),
      call('Bash', { command: 'touch src/b.txt scripts.txt' }, 'fine'),
    ];
    const more = { '.claude-plugin/plugin.json': '{"name":"own"}', 'hooks/hooks.json': '{}' };
    const { run } = await project({ ...files, ...more }, [calls, [say('Done.')]]);
    const { stdout } = await run([...RUN, '--plugin-dir', '.']);
    expect(deniedCalls(stdout)).toEqual(['hooks', 'command']);
  });
});
