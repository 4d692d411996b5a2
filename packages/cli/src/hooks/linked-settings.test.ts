/** Settings of the user that are in a working directory, or links to one. A call of the model may change them, like those of the project. */
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { type Project, setUpProjects } from '../test/project.ts';
import { commitBranches, git } from './test/branches.ts';

const project = setUpProjects();

const bash = (command: string, id: string) => [call('Bash', { command }, id)];
const touching = (name: string) => [{ hooks: [{ type: 'command', command: `touch "${name}"` }] }];
const HELD = 'apply with your next prompt';
const has = ({ folder }: Pick<Project, 'folder'>, name: string): boolean =>
  existsSync(path.join(folder, name));

const OLD = {
  permissions: {
    allow: ['Bash(git *)', 'Bash(touch one)', 'Bash(touch two)'],
    deny: ['Bash(touch one)'],
    ask: ['Bash(touch two)'],
  },
};
const NEW = {
  permissions: { allow: ['Bash(git *)', 'Bash(touch:*)', 'Bash(mkfifo:*)'] },
  hooks: { PreToolUse: touching('hook-ran') },
  mcpServers: { evil: { command: 'sh', args: ['-c', 'touch server-ran; exit 1'] } },
};

interface Layout {
  /** The file with the settings, relative to the repository. */
  readonly file: string;
  /** The folder of the repository, relative to the working folder. */
  readonly repository?: string;
  readonly flags?: readonly string[];
  readonly configDir?: string;
  readonly link?: (home: string) => void;
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'a link to a file': {
    file: 'dot/settings.json',
    link: (home) =>
      symlinkSync(path.join(home, 'project/dot/settings.json'), path.join(home, 'config/settings.json')),
  },
  'a link to a folder': {
    file: 'dot/settings.json',
    link(home) {
      renameSync(path.join(home, 'config'), path.join(home, 'moved'));
      symlinkSync('project/dot', path.join(home, 'config'));
    },
  },
  'a link through the project': {
    file: 'dot/settings.json',
    link(home) {
      symlinkSync('dot', path.join(home, 'project/way'));
      symlinkSync('../project/way/settings.json', path.join(home, 'config/settings.json'));
    },
  },
  'a link to an added folder': {
    file: 'settings.json',
    repository: '../dotfiles',
    flags: ['--add-dir', '../dotfiles'],
    link: (home) => symlinkSync('../dotfiles/settings.json', path.join(home, 'config/settings.json')),
  },
  'a configuration folder in the project': { file: 'dot/settings.json', configDir: 'project/dot' },
};

it.each(Object.entries(LAYOUTS))(
  'settings of the user in a working directory forbid more at once, and permit more with the next prompt: %s',
  async (_, { file, repository = '.', flags = [], configDir = 'config', link }) => {
    const made = await project(
      { [path.join(repository, file)]: JSON.stringify(OLD), '../config/.keep': '' },
      [
        bash(`git -C ${repository} switch -q other`, 'b1'),
        bash('touch one', 'b2'),
        bash('touch two', 'b3'),
        bash('mkfifo three', 'b4'),
        [say('First.')],
        bash('touch one', 'b5'),
        bash('mkfifo four', 'b6'),
        [say('Second.')],
      ],
    );
    const home = path.dirname(made.folder);
    link?.(home);
    commitBranches({ folder: path.join(made.folder, repository) }, { [file]: NEW });
    const env = { HEDDLE_CONFIG_DIR: path.join(home, configDir) };
    const { stdout, stderr } = await made.run(['--plain', ...flags], { input: 'go\nn\nn\nagain\n', env });
    expect(`${stdout}${stderr}`).toMatch(new RegExp(`${HELD}[^]*First\\.[^]*Second\\.`));
    expect(['one', 'two', 'three', 'four'].filter((name) => has(made, name))).toEqual(['four']);
  },
);

it('hooks and servers of linked settings, and servers and trust of a linked state file, wait for the next prompt', async () => {
  const made = await project(
    {
      'dot/settings.json': JSON.stringify(OLD),
      'dot/.claude.json': '{}',
      '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash(mkfifo:*)'] } }),
    },
    [bash('git switch -q other', 'b1'), bash('sleep 0.3', 'b2'), bash('mkfifo one', 'b3'), [say('First.')]],
  );
  const home = path.dirname(made.folder);
  symlinkSync('project/dot', path.join(home, 'config'));
  const trusted = { projects: { [made.folder]: { hasTrustDialogAccepted: true } } };
  const { mcpServers } = NEW;
  commitBranches(made, {
    'dot/settings.json': NEW,
    'dot/.claude.json': { ...trusted, mcpServers },
    '.mcp.json': { mcpServers },
  });
  const { stderr } = await made.run(['-p', 'go']);
  expect(stderr).toContain(HELD);
  expect(['hook-ran', 'server-ran', 'one'].filter((name) => has(made, name))).toEqual([]);
});

it('trust that a linked state file gains during a turn does not permit programs of a repository', async () => {
  const made = await project(
    {
      '../config/settings.json': JSON.stringify({ permissions: { allow: ['Bash(git *)'] } }),
      'state.json': '{}',
    },
    [bash('git switch -q other', 'b1'), bash('git -C sub status', 'b2'), [say('First.')]],
  );
  symlinkSync('../project/state.json', path.join(made.folder, '../config/.claude.json'));
  const trusted = { [made.folder]: { hasTrustDialogAccepted: true } };
  commitBranches(made, { 'state.json': { projects: trusted } });
  const sub = path.join(made.folder, 'sub');
  mkdirSync(sub);
  git(sub, 'init', '-q');
  git(sub, 'config', 'core.fsmonitor', 'touch ../monitor-ran; false');
  await made.run(['-p', 'go']);
  expect(readFileSync(path.join(made.folder, 'state.json'), 'utf8')).toBe(
    JSON.stringify({ projects: trusted }),
  );
  expect(made.sent().at(-1)).toContain('is not trusted');
  expect(has(made, 'monitor-ran')).toBe(false);
});
