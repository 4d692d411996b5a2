import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();
let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('where no model is configured', () => {
  it.each([[['-c']], [['--resume=the good one']]])(
    '%j continues with the model of that session',
    async (flags) => {
      const home = homeFor(installed.program);
      await home.run(['-p', 'go', '--name', 'the good one', '--model', home.script([say('One.')])]);
      home.script([say('Two.')]);
      expect(await home.run(['-p', ...flags, 'and now?'])).toMatchObject({ code: 0, stdout: 'Two.\n' });
    },
  );

  it('--resume continues with the model of the session that the user picks', async () => {
    const home = homeFor(installed.program);
    const other = path.join(home.folder, 'other.json');
    writeFileSync(other, JSON.stringify([say('Other.')]));
    await home.run(['-p', 'the older one', '--model', home.script([say('One.')])]);
    await home.run(['-p', 'the newer one', '--model', `scripted:${other}`]);
    home.script([say('Two.')]);
    const older = await home.run(['--plain', '--resume'], { input: '2\nand now?\n' });
    expect(older.stdout).toContain('Two.');
    expect(older.stdout).toMatch(/the model of this session is .*script\.json/);
    const newer = await home.run(['--plain', '--resume'], { input: '2\nand now?\n' });
    expect(newer.stdout).toContain('Other.');
    const none = await homeFor(installed.program).run(['--plain', '--resume'], { input: 'hi\n' });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no model is configured') });
  });

  it('a session that is not there is told as before', async () => {
    const { code, stderr } = await homeFor(installed.program).run(['-p', '-c', 'and now?']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no model is configured/);
  });
});

describe('the list of --resume', () => {
  const files = {
    '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews\n---\nYou review.\n',
  };

  it('opens the chosen session without the agent of the newest one, and names the command for that one', async () => {
    const { run, sent } = await project(files, [[say('Plain.')], [say('Reviewed.')], [say('Again.')]]);
    await run(['-p', 'the plain one']);
    await run(['-p', 'the reviewed one', '--agent', 'reviewer']);
    const plain = await run(['--plain', '--resume'], { input: '2\nand now?\n' });
    expect(plain.stdout).toContain('Again.');
    expect(sent().map((request) => request.includes('You review.'))).toEqual([false, true, false]);
    expect(sent()[2]).toContain('the plain one');
    const reviewed = await run(['--plain', '--resume'], { input: '2\nand now?\n' });
    expect(`${reviewed.stdout}${reviewed.stderr}`).toMatch(
      /runs as the agent reviewer\. Continue it with: heddle --resume [0-9a-f]{8}/,
    );
    expect(sent()).toHaveLength(3);
  });
});
