/** Starting members of a team, in this process. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TeamFolder } from '@heddle/agent/teams';
import { afterEach, expect, it } from 'vitest';
import { startMembers } from './session-team.ts';

const [, program = ''] = process.argv;
afterEach(() => {
  process.argv[1] = program;
});

it('an abort ends the wait for members that do not join', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'heddle-team-'));
  const script = path.join(home, 'never-joins.mjs');
  writeFileSync(script, '');
  process.argv[1] = script;
  const folder = new TeamFolder(path.join(home, 'teams'), 'crew');
  await folder.create('', 0);
  const abort = new AbortController();
  const starting = startMembers(folder, ['ada'], { cwd: home, flags: [], signal: abort.signal });
  abort.abort();
  expect(await starting).toEqual(['ada']);
  expect(await startMembers(folder, ['bob'], { cwd: home, flags: [], signal: abort.signal })).toEqual([
    'bob',
  ]);
}, 5_000);
