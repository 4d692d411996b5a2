import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

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

  it('a session that is not there is told as before', async () => {
    const { code, stderr } = await homeFor(installed.program).run(['-p', '-c', 'and now?']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no model is configured/);
  });
});
