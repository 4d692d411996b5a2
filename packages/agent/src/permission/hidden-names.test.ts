/** Hidden files of a project in acceptEdits: ordinary ones, protected ones, and those that no list contains. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { suggestions } from './suggest/suggest.ts';

const HOME = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-hidden-names-')));
afterAll(() => rmSync(HOME, { recursive: true }));
const PROJECT = path.join(HOME, 'project');
const INNER = path.join(PROJECT, '.workspace', 'inner');

for (const folder of ['.workspace/inner', 'kit/.newagent', 'plain/.github', '.vendor', 'src'])
  mkdirSync(path.join(PROJECT, folder), { recursive: true });
for (const file of [
  'a.txt',
  'kit/.newagent/rules.md',
  'plain/.github/ci.yml',
  '.present',
  '.vendor/x.js',
  'src/a.ts',
])
  writeFileSync(path.join(PROJECT, file), '');
symlinkSync('.vendor', path.join(PROJECT, 'vendor'));
mkdirSync(path.join(PROJECT, 'conf/linked'), { recursive: true });
symlinkSync('conf/linked', path.join(PROJECT, '.linked'));
symlinkSync('conf/missing', path.join(PROJECT, '.linked-file'));
symlinkSync('.', path.join(PROJECT, '.self'));

interface Setting {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly cwd?: string;
  readonly hook?: 'allow';
}

function judged(
  call: string | { readonly file: string },
  { mode = 'acceptEdits', allow = [], cwd = PROJECT, hook }: Setting = {},
) {
  const world = observeWorld({
    root: cwd,
    cwd,
    home: HOME,
    directories: [],
    configDirs: [path.join(HOME, '.heddle')],
    environment: {},
  });
  const request =
    typeof call === 'string'
      ? { tool: 'Bash', input: { command: call }, readOnly: false, hookDecision: hook }
      : { tool: 'Write', input: { file_path: call.file, content: '' }, readOnly: false, hookDecision: hook };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  const verdict = authorize(request, rules, mode, world);
  return { verdict, updates: suggestions(request, verdict, { rules, mode, world }) };
}

function decision(call: string | { readonly file: string }, setting?: Setting): string {
  return judged(call, setting).verdict.decision;
}

const UNLISTED = [
  'echo x > .newagentrc',
  'echo x >> .present',
  "sed -i 's/a/b/' .present",
  'touch .newagent',
  'mkdir .newagent',
  'mkdir -p src/.newagent/deep',
  'cp a.txt .newagentrc',
  'cp a.txt src/.newagentrc',
  'cp -r kit copy',
  'cp -r kit/. .',
  'mv a.txt .newagentrc',
  'mv kit/.newagent .',
  'mv kit/.newagent src/',
  'touch ./.New-Agent.toml',
  'touch .pre*',
  'cp a.txt vendor/y.js',
  'touch .nowhere',
  'touch .environment',
  'mkdir .renderer',
  'touch .flyover.json',
  'echo x > conf/linked/rules',
  'echo x > conf/missing',
  'mkdir -p conf/linked/deep',
  'touch .linked/rules',
  'touch .github/prompts/x.prompt.md',
  'echo x > .github/other.json',
  'mkdir .github/extras',
  'echo x > .gitlab/tool.json',
  'echo x > .workspace/inner/src.ts',
];

const ORDINARY = [
  'echo dist >> .gitignore',
  'echo A=1 > .env.local',
  'touch .eslintrc.cjs .prettierrc .editorconfig .dockerignore src/.gitkeep',
  'mkdir -p .github/workflows .storybook .changeset',
  'echo x > .github/workflows/ci.yml',
  'cp a.txt .gitlab-ci.yml',
  'touch .markdownlint-cli2.jsonc .markdownlintrc .rubocop_todo.yml .biome.json .coverage.1 .env-example',
  'echo x > .github/dependabot.yml',
  'echo x > .github/CODEOWNERS',
  'mkdir -p .github/ISSUE_TEMPLATE && touch .github/ISSUE_TEMPLATE/bug.yml',
  'echo x > .github/copilot-instructions.md',
  'mkdir -p .gitlab/issue_templates',
  'echo x > conf/other',
  'cp -r plain copy',
  'rm .present',
  'rm -r .vendor',
  'mv .present present',
  'echo x > src/a.ts',
  'touch src/.coveragerc .flake8 .golangci.yml .rubocop.yml .swiftlint.yml .clang-format',
];

describe('acceptEdits and hidden names', () => {
  it.each(UNLISTED)('asks about a hidden name that no list contains: %s', (command) => {
    expect(decision(command)).toBe('ask');
  });

  it.each(ORDINARY)('allows names that only commands of the user read, and removals: %s', (command) => {
    expect(decision(command)).toBe('allow');
  });

  it('asks for Write, and says what settles it', () => {
    const file = path.join(PROJECT, '.newagent/rules.md');
    const { verdict } = judged({ file });
    expect(verdict).toMatchObject({ decision: 'ask' });
    expect(verdict.reason).toBe(
      'A program may load `.newagent` by itself. An allow rule for it settles that.',
    );
    expect(decision({ file: path.join(PROJECT, '.github/a.md') })).toBe('allow');
  });

  it.each<PermissionMode>(['default', 'acceptEdits'])(
    'offers a rule for the file in %s, which then allows it',
    (mode) => {
      const file = path.join(PROJECT, '.newagent/rules.md');
      const rules = [{ toolName: 'Edit', ruleContent: './.newagent/rules.md' }];
      expect(judged({ file }, { mode }).updates).toMatchObject([{ type: 'addRules', rules }]);
      expect(decision({ file }, { mode, allow: ['Edit(./.newagent/rules.md)'] })).toBe('allow');
      expect(decision('echo x > .newagent/rules.md', { allow: ['Edit(/.newagent/**)'] })).toBe('allow');
    },
  );

  it('leaves the decision to a hook that allows the call', () => {
    expect(decision({ file: path.join(PROJECT, '.newagentrc') }, { hook: 'allow' })).toBe('allow');
    expect(decision({ file: path.join(PROJECT, '.vscode/tasks.json') }, { hook: 'allow' })).toBe('ask');
  });

  it('counts names from the working directory, which may be in a hidden folder itself', () => {
    expect(decision('echo x > src.ts', { cwd: INNER })).toBe('allow');
    expect(decision('echo x > .newagentrc', { cwd: INNER })).toBe('ask');
  });

  it.each([
    'mcp.json',
    'lsp.json',
    'extensions/e/extension.mjs',
    'copilot/settings.json',
    'agents/a.agent.md',
  ])('asks about settings of agents in folders of services with a rule, too: .github/%s', (name) => {
    expect(decision(`echo x > .github/${name}`, { allow: ['Edit(/.github/**)'] })).toBe('ask');
  });

  it('still asks about protected places with a rule', () => {
    expect(decision('mkdir -p .env/bin', { allow: ['Edit(/.env/**)'] })).toBe('ask');
    expect(decision('echo x > .vscode/tasks.json', { allow: ['Edit(/.vscode/**)'] })).toBe('ask');
  });
});
