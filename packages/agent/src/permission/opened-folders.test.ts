/** Edits of files that programs read by themselves when a developer opens or enters a folder, or starts an interpreter in it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-opened-folders-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const surroundings = {
  root: base,
  cwd: base,
  directories: [],
  home: path.join(base, 'home'),
  configDirs: [],
};
const world = observeWorld({ ...surroundings, environment: {} });

function decisionOn(tool: string, input: JsonObject): string {
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('an edit asks about a file that', () => {
  it.each([
    ['a manager of hooks reads', 'lefthook.jsonc'],
    ['a manager of hooks reads', '.lefthook-local/pre-commit/a.sh'],
    ['a manager of hooks reads', '.pre-commit-config.yml'],
    ['a manager of hooks reads', '.config/hk.pkl'],
    ['a manager of hooks reads', '.git-hooks/pre_commit/a.rb'],
    ['a manager of hooks reads', '.cargo-husky/hooks/pre-push'],
    ['a shell reads when it enters the folder', '.autoenv_leave.zsh'],
    ['a shell reads when it enters the folder', '.autoenv.leave'],
    ['a shell reads when it enters the folder', '.flox/env/manifest.toml'],
    ['a shell reads when it enters the folder', '.tfswitchrc'],
    ['a shell reads when it enters the folder', '.rbenv-vars'],
    ['chooses the version of a program', 'aqua/aqua.yaml'],
    ['chooses the version of a program', '.vfox.toml'],
    ['chooses the version of a program', '.pdm-python'],
    ['chooses the version of a program', '.versions.conf'],
    ['an interpreter loads at its start', '.RData'],
    ['an interpreter loads at its start', '_irbrc'],
    ['an interpreter loads at its start', '$irbrc'],
    ['an interpreter loads at its start', '.venv/pyvenv.cfg'],
    ['an interpreter loads at its start', '.venv/lib/python3.13/site-packages/a.pth'],
    ['an interpreter loads at its start', 'py/Lib/site-packages/sitecustomize.py'],
    ['an interpreter loads at its start', 'py/lib/python3/dist-packages/usercustomize.py'],
    ['is a program of an environment', 'env/bin/python'],
    ['is a program of an environment', '.venv-3.13/bin/pytest'],
    ['is a program of an environment', '.pixi/envs/default/bin/a'],
    ['an editor reads when it opens the folder', '.lazy.lua'],
    ['an editor reads when it opens the folder', '.ycm_extra_conf.py'],
    ['an editor reads when it opens the folder', '.bsp/sbt.json'],
    ['an editor reads when it opens the folder', 'hie.yaml'],
    ['an editor reads when it opens the folder', '.externalToolBuilders/a.launch'],
    ['a hosted editor reads', '.gitpod.yml'],
    ['a hosted editor reads', '.replit'],
    ['a hosted editor reads', '.idx/dev.nix'],
    ['another agent reads', '.grok/settings.json'],
    ['another agent reads', 'gptme.toml'],
    ['another agent reads', '.qoder/a.json'],
    ['version control reads', '.repo/repo/main.py'],
    ['version control reads', '.fossil-settings/editor'],
    ['version control reads', '.lfsconfig'],
    ['chooses where packages come from', 'NuGet.config'],
    ['chooses where packages come from', 'uv.toml'],
  ])('%s: %s', (_, file) => {
    expect(decisionOn('Write', { file_path: path.join(base, file), content: 'x' })).toBe('ask');
    expect(decisionOn('Bash', { command: `echo x > 'sub/${file}'` })).toBe('ask');
  });
});

it.each([
  'package.json',
  'Makefile',
  'pnpm-workspace.yaml',
  'lint-staged.config.js',
  'settings/a.json',
  'project.json',
  'agent/run.ts',
  'env/bindings.ts',
  'model.pth',
  'py/site-packages/a.py',
  'irb.rb',
  'lefthook.md',
  'aqua/readme.md',
  '.github/workflows/a.yml',
])('an edit does not ask about an ordinary file: %s', (file) => {
  expect(decisionOn('Write', { file_path: path.join(base, file), content: 'x' })).toBe('allow');
});
