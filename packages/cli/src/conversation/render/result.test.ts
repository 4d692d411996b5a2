import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { type ResultDetail, resultRows } from './result.ts';

const style = styleFor({ plain: true, env: {} });

function rows(tool: string, content: string, is_error = false, detail?: ResultDetail): string[] {
  return resultRows(tool, { type: 'tool_result', tool_use_id: 'x', content, is_error }, style, detail);
}

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('a successful command', () => {
  it('shows all lines of a short output, and the last line and summary lines of a long one', () => {
    expect(rows('Bash', '(no output)')).toEqual(['ok: no output']);
    expect(rows('Bash', 'a\n\nb')).toEqual(['ok: a', '  b']);
    const tests = [
      ' RUN  v5.1.0 /x',
      ...lines(9),
      ' Test Files  2 passed (2)',
      '      Tests  12 passed (12)',
    ];
    expect(rows('Bash', [...tests, '   Start at  10:00', '   Duration  1.2 s'].join('\n'))).toEqual([
      'ok: Test Files 2 passed (2)',
      '  Tests 12 passed (12)',
      '  Duration 1.2 s (11 more lines)',
    ]);
  });

  it('shows the size and the file of a cut output', () => {
    const output = `1\n2\n… 109 kB in all, the middle left out; the whole is in /x/b1.out …\n${lines(9).join('\n')}`;
    expect(rows('Bash', output)).toEqual(['ok: line 8 (109 kB, kept in /x/b1.out)']);
  });

  it('names the task of a background command', () => {
    const started = 'Started in the background as task b12. Read its output with TaskOutput.';
    expect(rows('Bash', started)).toEqual(['ok: runs in the background: /tasks b12']);
  });
});

describe('a failed command', () => {
  it('shows the lines that name a cause, without the usual noise', () => {
    const npm = [
      'npm error Missing script: "build"',
      'npm error',
      'npm error To see a list of scripts, run:',
      'npm error A complete log of this run can be found in: /x/.npm/_logs/2026.log',
      'Exit code 1',
    ];
    expect(rows('Bash', npm.join('\n'), true)[0]).toBe(
      'failed: Exit code 1: npm error Missing script: "build"',
    );
    expect(rows('Bash', npm.join('\n'), true).join()).not.toContain('complete log');
    const node = [
      '/x/a.js:3',
      "throw new Error('boom')",
      '^',
      'Error: boom',
      '    at Object.<anonymous> (/x/a.js:3:7)',
      'Node.js v20.20.2',
      'Exit code 1',
    ];
    expect(rows('Bash', node.join('\n'), true)).toEqual(['failed: Exit code 1: Error: boom (5 more lines)']);
  });

  it('shows the end if no line names a cause', () => {
    expect(rows('Bash', [...lines(9), 'Exit code 2'].join('\n'), true)).toEqual([
      'failed: Exit code 2: line 6',
      '  line 7',
      '  line 8 (6 more lines)',
    ]);
  });

  it('reports an interruption in plain words', () => {
    const ending = 'Interrupted; what is shown above is all it wrote';
    expect(rows('Bash', `${lines(3).join('\n')}\n${ending}`, true)).toEqual([
      'failed: Interrupted: line 2 (2 more lines)',
    ]);
    expect(rows('Bash', 'Interrupted; it had written nothing', true)).toEqual(['failed: Interrupted']);
  });
});

describe('other results', () => {
  it.each([
    ['Read', '1\ta\n2\tb', 'ok: 2 lines'],
    ['Grep', 'a.ts\nb.ts', 'ok: 2 files'],
    ['Grep', 'a.ts:1:x\nb.ts:4:x', 'ok: 2 lines'],
    ['Grep', 'a.ts\nb.ts\n(files 1-2 of 30; continue with offset 2)', 'ok: 2 files of 30'],
    ['Grep', 'No matches', 'ok: No matches'],
    ['Glob', 'a.ts\nb.ts\n(the newest 2 of 101; narrow the pattern for others)', 'ok: 2 files of 101'],
    ['Glob', 'a.ts', 'ok: a.ts'],
    ['AskUserQuestion', 'Which store?\n→ SQLite\nWhat else?\n→ TTL, Stats', 'ok: SQLite; TTL, Stats'],
    ['AskUserQuestion', 'The user did not want to answer.', 'ok: The user did not want to answer.'],
    ['EnterPlanMode', 'Planning. Look around.', 'ok: planning: nothing is changed until you approve a plan'],
    ['ExitPlanMode', 'The user approved the plan. Carry it out.', 'ok: approved'],
    [
      'ExitPlanMode',
      'The user did not approve the plan: Tests first.\nYou are still planning.',
      'failed: sent back: Tests first.',
    ],
    ['ExitPlanMode', 'The user did not approve the plan.\nYou are still planning.', 'failed: sent back'],
    ['TodoWrite', 'The list is kept: 5 of 30 done.', 'ok: 5 of 30 done'],
    ['Write', 'Created /x/a.ts.', 'ok: created'],
    ['WebFetch', 'first\nsecond', 'ok: first (1 more line)'],
  ])('of %s are summarized', (tool, content, row) => {
    expect(rows(tool, content)).toEqual([row]);
  });
});

describe('a preview', () => {
  it.each([
    ['Bash', lines(5).join('\n'), ['ok: line 0', '  line 1', '  line 2', '  line 3', '  line 4']],
    [
      'Bash',
      lines(9).join('\n'),
      ['ok: line 4', '  line 5', '  line 6', '  line 7', '  line 8', '  ... 4 more lines (Ctrl-O)'],
    ],
    // Lines that summarize the output precede the others.
    [
      'Bash',
      ['Tests 3 passed', ...lines(7)].join('\n'),
      ['ok: Tests 3 passed', '  line 3', '  line 4', '  line 5', '  line 6', '  ... 3 more lines (Ctrl-O)'],
    ],
    // Columns stay aligned.
    ['Bash', '  name  size\n  a        1\n    b\tc', ['ok: name  size', '  a        1', '    b  c']],
    ['WebFetch', 'first\nsecond', ['ok: first', '  second']],
    [
      'mcp__a__b',
      lines(7).join('\n'),
      ['ok: line 0', '  line 1', '  line 2', '  line 3', '  line 4', '  ... 2 more lines (Ctrl-O)'],
    ],
    ['Grep', 'a.ts:1:x\nb.ts:4:x', ['ok: 2 lines', '  a.ts:1:x', '  b.ts:4:x']],
    [
      'Glob',
      [...lines(6), '(the newest 6 of 101; narrow the pattern for others)'].join('\n'),
      ['ok: 6 files of 101', '  line 0', '  line 1', '  line 2', '  line 3', '  ... 2 more lines (Ctrl-O)'],
    ],
    ['Grep', 'No matches', ['ok: No matches']],
    ['Read', '1\ta\n2\tb', ['ok: 2 lines']],
    ['WebFetch', '', ['ok: done']],
  ])('of %s has at most five lines: %j', (tool, content, expected) => {
    expect(rows(tool, content, false, 'preview')).toEqual(expected);
  });

  it('of a failure has up to five lines that name a cause', () => {
    const output = [...lines(4), ...lines(7).map((line) => `error in ${line}`), 'Exit code 1'].join('\n');
    expect(rows('Bash', output, true, 'preview')).toEqual([
      'failed: Exit code 1: error in line 0',
      '  error in line 1',
      '  error in line 2',
      '  error in line 3',
      '  error in line 4',
      '  ... 6 more lines (Ctrl-O)',
    ]);
  });

  it('begins a line with each text of a result', () => {
    const content = [
      { type: 'text' as const, text: 'The report.' },
      { type: 'text' as const, text: 'agentId: a1' },
    ];
    const result = { type: 'tool_result' as const, tool_use_id: 'x', content, is_error: false };
    expect(resultRows('Agent', result, style, 'preview')).toEqual(['ok: The report.', '  agentId: a1']);
  });

  it('cuts long lines', () => {
    const [row = ''] = rows('WebFetch', 'x'.repeat(400), false, 'preview');
    expect(row).toMatch(/^ok: x{157}\.\.\.$/);
  });
});
