/** Files that flags name as settings, servers or plugins, and edits of them in the real program. */
import { chmodSync, existsSync, symlinkSync } from 'node:fs';
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

describe('files of plugins', () => {
  it('that a manifest names are not edited without a question', async () => {
    const files = {
      '.claude-plugin/plugin.json': '{"name":"own","hooks":"./cfg/h.json","mcpServers":"./cfg/s.json"}',
      'cfg/h.json': '{}',
      'cfg/other.json': '{}',
    };
    const calls = ['h', 's', 'other'].map((name) =>
      call('Bash', { command: `echo '{}' > cfg/${name}.json` }, name),
    );
    const { run } = await project(files, [calls, [say('Done.')]]);
    const { stdout } = await run([...RUN, '--plugin-dir', '.']);
    expect(deniedCalls(stdout)).toEqual(['h', 's']);
  });

  it('that the list of a marketplace may replace are not edited without a question', async () => {
    const calls = [
      call('Bash', { command: `echo '{}' > .claude-plugin/marketplace.json` }, 'list'),
      call('Bash', { command: 'mkdir -p first/hooks' }, 'folder'),
      call('Bash', { command: 'touch second/hooks/hooks.json' }, 'hooks'),
      call('Bash', { command: 'mkdir -p third/hooks' }, 'fine'),
    ];
    const list = { name: 'mk', plugins: [{ name: 'a', source: './first' }] };
    const { run, folder } = await project(
      {
        '.claude-plugin/marketplace.json': JSON.stringify(list),
        'plugins/a/hooks/hooks.json': '{}',
        'second/hooks/hooks.json': '{}',
      },
      [calls, [say('Done.')]],
    );
    const settings = {
      extraKnownMarketplaces: { mk: { source: { source: 'directory', path: folder } } },
      enabledPlugins: { 'a@mk': true },
    };
    const flags = ['--settings', JSON.stringify(settings), '--plugin-dir', 'second'];
    const { stdout } = await run([...RUN, ...flags]);
    expect(deniedCalls(stdout)).toEqual(['list', 'folder', 'hooks']);
  });
});

describe('files that commands of settings run', () => {
  const hook = { type: 'command', command: '"$CLAUDE_PROJECT_DIR"/scripts/check.sh' };
  const settings = {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [hook] }],
      SessionEnd: [{ hooks: [{ type: 'command', command: 'cd late && ./check' }] }],
    },
    statusLine: { type: 'command', command: './status.sh' },
    mcpServers: {},
  };
  const servers = { mcpServers: { own: { command: 'node', args: ['server/'], disabled: false } } };
  const files = {
    '../config/settings.json': JSON.stringify(settings),
    'servers.json': JSON.stringify(servers),
    'scripts/check.sh': '#!/bin/sh\nexit 0\n',
    'scripts/other.sh': '#!/bin/sh\ntouch done.txt\n',
    'status.sh': 'echo x\n',
    'server/index.js': '',
    'server/lib.js': '',
    '.claude/skills/deploy/SKILL.md':
      '---\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ./deploy-check.sh\n---\nx\n',
    'deploy-check.sh': 'true\n',
    'src/a.txt': 'a\n',
  };
  const asked = [
    'echo "touch x" >> scripts/check.sh',
    'sed -i s/0/1/ scripts/check.sh',
    'cp src/a.txt status.sh',
    'mv scripts moved',
    'rm -r scripts',
    'echo x > server/lib.js',
    'touch server/new.js',
    'echo x > deploy-check.sh',
    'cd scripts && echo x > check.sh',
    'mkdir late && cp src/a.txt late/check',
    'mkdir parts && cp src/a.txt parts/check && mv parts late',
  ];

  it('are not edited in acceptEdits without a question', async () => {
    const calls = [
      ...asked.map((command, at) => call('Bash', { command }, `b${at}`)),
      call('Read', { file_path: 'scripts/check.sh' }, 'read'),
      call('Edit', { file_path: 'scripts/check.sh', old_string: 'exit 0', new_string: 'exit 1' }, 'edit'),
      call('Write', { file_path: 'server/new.js', content: 'x' }, 'write'),
      call('Bash', { command: 'cat scripts/check.sh server/index.js; touch src/b.txt' }, 'fine'),
      call('Bash', { command: 'echo x >> scripts/other.sh' }, 'other'),
      call('Bash', { command: './scripts/check.sh' }, 'run'),
    ];
    const { run, folder } = await project(files, [calls, [say('Done.')]]);
    chmodSync(path.join(folder, 'scripts/check.sh'), 0o755);
    const { stdout } = await run([
      ...RUN,
      '--mcp-config',
      'servers.json',
      '--allowed-tools',
      'Bash(./scripts/check.sh)',
    ]);
    expect(deniedCalls(stdout)).toEqual([...asked.map((_, at) => `b${at}`), 'edit', 'write']);
    expect(existsSync(path.join(folder, 'src/b.txt'))).toBe(true);
  });

  it('are not made in the working directory or in a module that a hook runs', async () => {
    const stop = ['node .', 'python3 -m srv', 'bash -e check'].map((command) => ({
      hooks: [{ type: 'command', command }],
    }));
    const marker = (file: string) => `require("fs").writeFileSync("${file}","")`;
    const calls = [
      call('Bash', { command: `echo '${marker('ran-node')}' > index.js` }, 'index'),
      call('Write', { file_path: 'srv/__main__.py', content: 'open("ran-python", "w")' }, 'module'),
      call('Bash', { command: 'echo touch ran-shell > check' }, 'script'),
      call('Bash', { command: 'echo x > src/b.js' }, 'fine'),
    ];
    const own = { '../config/settings.json': JSON.stringify({ hooks: { Stop: stop } }), check: '' };
    const { run, folder } = await project({ ...own, 'src/a.txt': 'a\n' }, [calls, [say('Done.')]]);
    const { stdout } = await run(RUN);
    expect(deniedCalls(stdout)).toEqual(['index', 'module', 'script']);
    const made = ['ran-node', 'ran-python', 'ran-shell', 'src/b.js'];
    expect(made.filter((name) => existsSync(path.join(folder, name)))).toEqual(['src/b.js']);
  });
});

describe('a working directory behind a protected link', () => {
  it('is not edited without a question, so no hook of it runs at the next start', async () => {
    const hook = { type: 'command', command: 'touch ran' };
    const content = JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } });
    const calls = [
      call('Write', { file_path: 'settings.json', content }, 'write'),
      call('Bash', { command: `echo '${content}' > settings.local.json` }, 'bash'),
      call('Bash', { command: 'mkdir skills' }, 'folder'),
      call('Bash', { command: 'cat a.txt' }, 'fine'),
    ];
    const { run, folder, trust } = await project({ 'a.txt': 'a\n' }, [
      calls,
      [say('Done.')],
      [say('Again.')],
    ]);
    symlinkSync('.', path.join(folder, '.claude'));
    await trust();
    const { stdout } = await run(RUN);
    expect(deniedCalls(stdout)).toEqual(['write', 'bash', 'folder']);
    expect((await run(['-p', 'go'])).stdout).toContain('Again.');
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
  });
});
