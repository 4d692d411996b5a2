/** Real working trees, and decisions on git commands that store their files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterAll } from 'vitest';
import { authorize } from '../authorize.ts';
import { observeWorld } from '../observe-world.ts';
import type { Authorization } from '../request.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export interface Project {
  readonly cwd: string;
  readonly home: string;
}

export function projectWith(
  files: Readonly<Record<string, string>>,
  tracked: readonly string[] = [],
): Project {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-added-')));
  made.push(folder);
  const cwd = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  for (const place of [cwd, home]) mkdirSync(place);
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd, env: environmentOf(home), stdio: 'pipe' });
  git('init', '-q');
  for (const [name, text] of Object.entries({ 'src/a.ts': 'a\n', ...files })) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  for (const name of ['src/a.ts', ...tracked]) git('add', '-f', name);
  return { cwd, home };
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: home };
}

/** Runs a script, and returns the files that are in the index or in a stash after it. */
export function storedAfter(command: string, { cwd, home }: Project): readonly string[] {
  const run = (script: string): readonly string[] =>
    execFileSync('bash', ['-c', script], { cwd, env: environmentOf(home), stdio: 'pipe', encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  run(command);
  return run('git ls-files; git stash list | grep -q . && git ls-tree -r --name-only "stash@{0}^3"; true');
}

const COMMANDS =
  'add stage commit update-index hash-object stash push rm mv checkout restore reset switch clean diff'.split(
    ' ',
  );

interface Setting {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly mode?: PermissionMode;
}

export function decisionOn(command: string, project: Project, setting?: Setting): string {
  return answerOn(command, project, setting).decision;
}

/** Returns the reason of the decision. */
export function reasonOf(command: string, project: Project, setting?: Setting): string {
  const answer = answerOn(command, project, setting);
  return answer.decision === 'allow' ? '' : answer.reason;
}

function answerOn(
  command: string,
  { cwd, home }: Project,
  { deny = ['Read(./.env)', 'Read(./.env.*)'], ask = [], mode = 'default' }: Setting = {},
): Authorization {
  const environment = { HOME: home };
  const world = observeWorld({ root: cwd, cwd, directories: [], home, configDirs: [], environment });
  const rule = (text: string) => ({ text, source: 'user' as const });
  const allow = [...COMMANDS, '-C', '-c'];
  const rules = {
    deny: deny.map(rule),
    ask: ask.map(rule),
    allow: [
      ...allow.map((name) => rule(`Bash(git ${name}:*)`)),
      ...['rm', 'mv', 'cd', 'env', 'timeout', 'sh'].map((name) => rule(`Bash(${name}:*)`)),
      rule('Bash(xargs git add:*)'),
    ],
  };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, mode, world);
}
