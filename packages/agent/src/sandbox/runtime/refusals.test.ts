import { describe, expect, it } from 'vitest';
import type { SandboxPolicy } from '../policy/policy.ts';
import { describeRefusals, type Seen } from './refusals.ts';

const POLICY: SandboxPolicy = {
  writable: ['/p'],
  unwritable: ['/p/.claude'],
  unwritableLike: [],
  unreadable: [],
  readable: [],
  allowedDomains: [],
  deniedDomains: [],
};
const reportsOf = (seen: Partial<Seen>): string[] =>
  describeRefusals({ lines: [], output: '', failed: true, ...seen }, POLICY);

describe('what the sandbox refused', () => {
  it('names hosts and files, each once', () => {
    const lines = [
      'deny network-outbound example.com:443 (host is not on the allow list)',
      'deny mkdir /etc',
      'deny openat /etc/hosts',
      'deny mkdir /etc/hosts/',
      'deny openat /p/.claude/settings.json',
    ];
    expect(reportsOf({ lines })).toEqual([
      'The sandbox refused: connecting to example.com:443 (host is not on the allow list); writing /etc/hosts; writing /p/.claude/settings.json.',
    ]);
  });

  it('leaves out what is open after all: devices, and folders that were added since', () => {
    expect(
      reportsOf({
        lines: ['deny openat /dev/null', 'deny openat /proc/self/oom_score_adj', 'deny openat /p/file'],
      }),
    ).toEqual([]);
  });

  it('takes the command’s own word where a link was followed', () => {
    const output =
      "bash: line 1: link/a: Read-only file system\ntouch: cannot touch '/x y': Read-only file system\n";
    expect(reportsOf({ output })).toEqual(['The sandbox refused: writing link/a; writing /x y.']);
    expect(
      reportsOf({ output: "touch: cannot touch '../a': Read-only file system", lines: ['deny openat /q/a'] }),
    ).toEqual(['The sandbox refused: writing /q/a.']);
  });

  it('says nothing of what a command that ended well did without, unless it complained', () => {
    expect(reportsOf({ failed: false, lines: ['deny openat /h/me/.cache/x'] })).toEqual([]);
    expect(reportsOf({ failed: false, output: 'sh: line 2: /a: Read-only file system' })).toHaveLength(1);
  });

  it('is an explanation, not a list', () => {
    const [text = ''] = reportsOf({ lines: Array.from({ length: 40 }, (_, at) => `deny openat /etc/${at}`) });
    expect(text).toMatch(/writing \/etc\/4; and 35 more\.$/);
  });
});
