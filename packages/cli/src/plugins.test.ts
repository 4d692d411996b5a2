/** Plugins through the program: commands, skills, hooks and servers of a folder, named by a flag or enabled in settings. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { linesOf } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

const createProject = setUpProjects();

const HOOK = { type: 'command', command: 'echo "Plugin in $CLAUDE_PLUGIN_ROOT"' };

/** The files of a plugin in this folder. */
function plugin(folder: string): Record<string, string> {
  return {
    [`${folder}/.claude-plugin/plugin.json`]: JSON.stringify({ name: 'kit', version: '1.2.0' }),
    [`${folder}/commands/check.md`]: 'Check $ARGUMENTS with ${CLAUDE_PLUGIN_ROOT}/check.sh.',
    [`${folder}/skills/tidy/SKILL.md`]: '---\nname: tidy\ndescription: Tidies\n---\nTidy up.',
    [`${folder}/hooks/hooks.json`]: JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [HOOK] }] } }),
  };
}

const project = (files: Readonly<Record<string, string>>) =>
  createProject(files, [[say('Yes.')], [say('Yes.')]]);

describe('a plugin', () => {
  it.each([
    ['a flag', '../kit', ['--plugin-dir', '../kit'], '{}'],
    [
      'settings, installed',
      '../config/plugins/cache/shop/kit/1.2.0',
      [],
      '{"enabledPlugins":{"kit@shop":true}}',
    ],
    [
      'settings, in a marketplace',
      '../config/plugins/marketplaces/shop/plugins/kit',
      [],
      '{"enabledPlugins":{"kit@shop":true}}',
    ],
  ])('brings commands, skills and hooks: %s', async (_, folder, flags, settings) => {
    const { run, sent } = await project({ ...plugin(folder), '../config/settings.json': settings });
    const argv = ['-p', '/kit:check this', ...flags, '--output-format', 'stream-json', '--verbose'];
    const lines = linesOf((await run(argv)).stdout);
    expect(lines.find(({ subtype }) => subtype === 'init')).toMatchObject({
      plugins: [{ name: 'kit', version: '1.2.0' }],
      slash_commands: expect.arrayContaining(['kit:check', 'kit:tidy']),
      skills: ['kit:tidy'],
    });
    const [request = ''] = sent();
    expect(request).toMatch(/Check this with .*\/check\.sh\./);
    expect(request).toContain('- kit:tidy: Tidies');
    expect(request).toMatch(/Plugin in \S*kit/);
  });

  it('that only an untrusted project enables is not loaded, and a line says so', async () => {
    const { run, sent } = await project({
      ...plugin('../config/plugins/cache/shop/kit/1.2.0'),
      '.claude/settings.json': '{"enabledPlugins":{"kit@shop":true}}',
    });
    const { stderr } = await run(['-p', 'go']);
    expect(stderr).toMatch(/not trusted: .*enabledPlugins/);
    expect(sent()[0]).not.toMatch(/kit:tidy|Plugin in/);
  });

  it.each([
    ['deny', (folder: string) => `Read(/${folder}/**)`],
    ['ask', (folder: string) => `Read(/${folder}/**)`],
    ['deny', () => 'Read'],
  ])('behind a link guards calls although a project has a rule to %s reading it', async (list, rule) => {
    const guard = { hooks: [{ type: 'command', command: 'echo "The guard blocks." >&2; exit 2' }] };
    const { folder, run, sent } = await createProject(
      {
        '../dotfiles/guard/hooks/hooks.json': JSON.stringify({ hooks: { PreToolUse: [guard] } }),
        '../config/settings.json': JSON.stringify({
          enabledPlugins: { 'guard@mine': true },
          permissions: { allow: ['Bash(mkfifo:*)'] },
        }),
        '../config/plugins/mine/.keep': '',
      },
      [[call('Bash', { command: 'mkfifo made' }, 'b1')], [say('Yes.')]],
    );
    const dotfiles = path.join(folder, '../dotfiles');
    symlinkSync(path.join(dotfiles, 'guard'), path.join(folder, '../config/plugins/mine/guard'));
    mkdirSync(path.join(folder, '.claude'));
    const settings = { permissions: { [list]: [rule(dotfiles)] } };
    writeFileSync(path.join(folder, '.claude/settings.json'), JSON.stringify(settings));
    await run(['-p', 'go']);
    expect(sent()[1]).toContain('The guard blocks.');
    expect(existsSync(path.join(folder, 'made'))).toBe(false);
  });

  it('that is missing or broken is reported, and the run continues', async () => {
    const { run } = await project({
      '../broken/.claude-plugin/plugin.json': '{ "name": ',
      '../broken/commands/a.md': 'A.',
    });
    const settings = '{"enabledPlugins":{"gone@shop":true}}';
    const { stdout, stderr } = await run(['-p', 'go', '--plugin-dir', '../broken', '--settings', settings]);
    expect(stdout).toBe('Yes.\n');
    expect(stderr).toMatch(/plugin\.json: ignored: /);
    expect(stderr).toContain('The plugin gone@shop is enabled, but is not installed.');
  });
});
