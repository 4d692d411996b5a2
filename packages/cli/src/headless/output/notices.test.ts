import type { SdkMessage } from '@heddle/agent';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../../test/home.ts';
import { install, type Installed } from '../../test/program.ts';
import { noticeOf } from './output.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('a user who reads only the answer', () => {
  it('is told which calls were not allowed, on standard error', async () => {
    const { run, script } = homeFor(installed.program);
    const touches = [1, 2, 3, 4].map((n) => call('Bash', { command: `touch ${n}` }, `t${n}`));
    const ended = await run(['-p', 'go', '--model', script([touches, say('Not done.')])]);
    expect(ended).toMatchObject({ code: 0, stdout: 'Not done.\n' });
    expect(ended.stderr).toBe(
      'heddle: 4 calls were not allowed: Bash touch 1; Bash touch 2; Bash touch 3; 1 more. ' +
        'To allow calls, use heddle permissions or --allowed-tools.\n',
    );
  });

  it.each([
    ['overloaded', 4_400, 'the model is overloaded, trying again in 4 s (3 of 9)'],
    ['unknown', 31_000, 'no connection, trying again in 31 s (3 of 9)'],
    ['overloaded', 600, undefined],
  ])('is told why it takes so long (%s, %i ms)', (error, retry_delay_ms, notice) => {
    const envelope = { uuid: 'u', session_id: 's' };
    const retry = { attempt: 3, max_retries: 9, retry_delay_ms, error, error_status: null };
    const line: SdkMessage = { type: 'system', subtype: 'api_retry', ...envelope, ...retry };
    expect(noticeOf(line, '/')).toBe(notice);
  });
});
