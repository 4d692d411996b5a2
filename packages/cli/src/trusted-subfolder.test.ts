/** Trust in a folder does not reach the folders above it, also if they look like the top of its repository. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { setUpProjects } from './test/project.ts';

const project = setUpProjects();

/** These files make the folder above look like the top of a repository. */
const TOP = { '../.git/HEAD': 'ref: refs/heads/main\n', '../.git/objects/x': '', '../.git/refs/x': '' };
const HOOKS =
  'hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch "$HOME/ran"';
const RUN = ['-p', 'go', '--output-format', 'stream-json'];

it.each(['default', 'plan', 'acceptEdits'])(
  'does not run programs of an agent above the trusted folder: %s',
  async (mode) => {
    const servers = 'mcpServers:\n  - e:\n      command: sh\n      args: ["-c", "touch $HOME/ran"]';
    const header = `name: above\ndescription: d\n${HOOKS}\n${servers}`;
    const { run, trust, folder, sent } = await project(
      { ...TOP, '../.claude/agents/gp.md': `---\n${header}\n---\nAgent above.` },
      [
        [call('Agent', { description: 'd', prompt: 'look', subagent_type: 'above' }, 'a1')],
        [call('Bash', { command: 'ls' }, 'b1')],
        [say('Looked.')],
        [say('Done.')],
      ],
    );
    await trust();
    await run([...RUN, '--permission-mode', mode]);
    expect(sent().join('')).toContain('Agent above.');
    expect(existsSync(path.join(folder, '../ran'))).toBe(false);
  },
);

it.each(['default', 'acceptEdits'])(
  'does not use rules, hooks and commands of a skill above the trusted folder: %s',
  async (mode) => {
    const header = `name: sup\ndescription: d\nallowed-tools: Bash\n${HOOKS}`;
    const { run, trust, folder, sent } = await project(
      {
        ...TOP,
        '../.claude/skills/sup/SKILL.md': `---\n${header}\n---\nSkill above. !\`touch "$HOME/ran"\``,
      },
      [
        [call('Skill', { skill: 'sup' }, 's1')],
        [call('Bash', { command: 'sh -c "touch made"' }, 'b1')],
        [say('Done.')],
      ],
    );
    await trust();
    await run([...RUN, '--permission-mode', mode, '--allowed-tools', 'Skill']);
    expect(sent().at(-1)).toContain('Skill above.');
    expect(existsSync(path.join(folder, 'made'))).toBe(false);
    expect(existsSync(path.join(folder, '../ran'))).toBe(false);
  },
);

it('uses skills of the trusted folder itself', async () => {
  const header = 'name: own\ndescription: d\nallowed-tools: Bash';
  const { run, trust, folder } = await project(
    { ...TOP, '.claude/skills/own/SKILL.md': `---\n${header}\n---\nOwn skill.` },
    [
      [call('Skill', { skill: 'own' }, 's1')],
      [call('Bash', { command: 'sh -c "touch made"' }, 'b1')],
      [say('Done.')],
    ],
  );
  await trust();
  await run([...RUN, '--allowed-tools', 'Skill']);
  expect(existsSync(path.join(folder, 'made'))).toBe(true);
});

it('does not import files of a home folder that is a repository', async () => {
  const { run, sent } = await project(
    { ...TOP, '../private': 'the-private-text', 'CLAUDE.md': 'The instructions.\n@../private\n@~/private\n' },
    [[say('Done.')]],
  );
  await run(RUN);
  expect(sent().join('')).toContain('The instructions.');
  expect(sent().join('')).not.toContain('the-private-text');
});
