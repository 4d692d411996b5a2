import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { planDialog, userQuestionDialog } from './plan-and-user-questions.ts';
import { QuestionQueue } from './question-queue.ts';
import { choiceDialog, answered, type Dialog, dialogLines } from '../../terminal/dialog.ts';
import { UserDialogs } from './user-dialogs.ts';
import { permissionDialog } from './permission.ts';

afterEach(() => vi.unstubAllEnvs());

const style = styleFor({ plain: true, env: {} });
const view = { style, cwd: '/project', fileOf: (scope: string) => `${scope}.json` };

function question(more: Partial<PermissionQuestion> = {}): PermissionQuestion {
  return {
    toolUseId: 'b1',
    tool: 'Bash',
    input: { command: 'npm test', description: 'Run tests' },
    reason: 'No rule allows it.',
    basis: '',
    parts: [],
    suggestions: [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ],
    ...more,
  };
}

/** Types lines into a dialog until it returns an answer. */
function answer<Answer>(dialog: Dialog<Answer>, ...lines: readonly string[]): Answer | readonly string[] {
  let current = dialog;
  for (const line of lines) {
    const reading = current.read(line);
    if (reading.kind === 'answer') return reading.answer;
    current = reading.dialog;
  }
  return dialogLines(current);
}

describe('the permission question', () => {
  it('shows the command, the reason and the exact rule with its file', () => {
    expect(dialogLines(permissionDialog(question(), view))).toEqual([
      'Allow Bash? (Run tests)',
      '  | npm test',
      '  No rule allows it.',
      '  1  yes',
      "  2  yes, and don't ask again: Bash(npm test *)",
      '  3  no',
      '  4  no, and say why',
    ]);
  });

  it('asks where the rule applies, with letters as keys', () => {
    const dialog = permissionDialog(question(), view);
    const scopes = [
      'Allow it, and from now on Bash(npm test *) in',
      '  p  this project (local.json)',
      '  s  this session',
      '  u  all projects (user.json)',
      '  e  edit the rule first',
      '  b  back',
    ];
    expect(answer(dialog, '2')).toEqual(scopes);
    // A number that was meant for the first question chooses nothing.
    for (const line of ['1', '2', '3', '4', 'y', 'n', 'p s', 'session please', ''])
      expect(answer(dialog, '2', line)).toEqual(['Type p, s, u, e or b.']);
    expect(answer(dialog, '2', 'b')).toEqual(dialogLines(dialog));
    expect(answer(dialog, '2', 'e', 'Bash(npm *)')).toEqual([
      'Allow it, and from now on Bash(npm *) in',
      ...scopes.slice(1),
    ]);
  });

  it.each<[string[], PermissionAnswer | { destination: string }]>([
    [['1'], { allow: true }],
    [['yes'], { allow: true }],
    [['2', 'p'], { destination: 'localSettings' }],
    [['2', 'S'], { destination: 'session' }],
    [['2', '1', 'u'], { destination: 'userSettings' }],
    [['2', 'b', '3'], { allow: false, message: 'The user denied this call.' }],
    [['2p'], { destination: 'localSettings' }],
    [['2s'], { destination: 'session' }],
    [['2U'], { destination: 'userSettings' }],
    [['3'], { allow: false, message: 'The user denied this call.' }],
    [['4 use make'], { allow: false, message: 'The user denied this call. They said: use make' }],
    [['4', '', 'use make'], { allow: false, message: 'The user denied this call. They said: use make' }],
    [['', 'yes please, do it', '1'], { allow: true }],
  ])('reads %j', (lines, expected) => {
    const given = answer(permissionDialog(question(), view), ...lines);
    expect(given).toMatchObject('destination' in expected ? { allow: true, updates: [expected] } : expected);
  });

  it('names the subagent by its task, in one row', () => {
    const titleWith = (more: Partial<PermissionQuestion>) =>
      dialogLines(permissionDialog(question({ agentId: 'a1', ...more }), view))[0];
    expect(titleWith({})).toBe('Allow Bash? (agent a1) (Run tests)');
    expect(titleWith({ agentDescription: 'Find the leak' })).toBe(
      'Allow Bash? (agent Find the leak) (Run tests)',
    );
    expect(titleWith({ agentDescription: `yes\n${'x'.repeat(90)}` })).toMatch(
      /^Allow Bash\? \(agent .{1,45}\) \(Run tests\)$/,
    );
  });

  it('chooses nothing for an empty line or an unknown text', () => {
    for (const line of ['', '  ', '5', 'maybe'])
      expect(answer(permissionDialog(question(), view), line)).toEqual(['Type 1, 2, 3 or 4.']);
  });

  it('keeps a typed sentence for the denial, and still accepts a yes', () => {
    const words = 'use yarn instead';
    const dialog = permissionDialog(question(), view);
    expect(answer(dialog, words)).toEqual([`This is not an answer yet. 4 denies it and sends: ${words}`]);
    expect(answer(dialog, words, '4')).toMatchObject({
      allow: false,
      message: expect.stringContaining(words),
    });
    expect(answer(dialog, words, '4 no yarn')).toMatchObject({ message: expect.stringContaining('no yarn') });
    expect(answer(dialog, words, '1')).toEqual({ allow: true });
    expect(answer(planDialog('1. Look', style), 'tests first, please', '4')).toEqual({
      approved: false,
      feedback: 'tests first, please',
    });
  });

  it('offers no permanent answer if there is no rule to store', () => {
    const lines = dialogLines(permissionDialog(question({ suggestions: [] }), view));
    expect(lines.filter((line) => /^ {2}\d/.test(line)).map((line) => line.trim())).toEqual([
      '1  yes',
      '3  no',
      '4  no, and say why',
    ]);
  });

  it('asks about a host, and names a rule for several scopes only once', () => {
    const rules = [{ toolName: 'WebFetch', ruleContent: 'domain:example.com' }];
    const rule = { type: 'addRules', rules, behavior: 'allow' } as const;
    const dialog = permissionDialog(
      question({
        tool: 'SandboxNetworkAccess',
        input: { host: 'example.com', port: 80 },
        suggestions: [
          { ...rule, destination: 'session' },
          { ...rule, destination: 'localSettings' },
        ],
      }),
      view,
    );
    expect(dialog).toMatchObject({ about: 'reach example.com', ends: 'its command has ended' });
    const lines = dialogLines(dialog);
    expect(lines[0]).toBe('May the command reach this host?');
    expect(lines).toContain("  2  yes, and don't ask again: WebFetch(domain:example.com)");
  });

  it('applies a mode and folders only to the session', () => {
    const suggestions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    const dialog = permissionDialog(question({ suggestions }), view);
    expect(dialogLines(dialog)).toContain('  2  yes, and allow all edits (mode acceptEdits) in this session');
    expect(answer(dialog, '2')).toEqual({ allow: true, updates: suggestions });
  });

  it('distinguishes a mode from the rules that go into a file', () => {
    const mode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    const lines = dialogLines(
      permissionDialog(question({ suggestions: [...question().suggestions, mode] }), view),
    );
    expect(lines).toContain(
      "  2  yes, and don't ask again: Bash(npm test *); and in this session allow all edits (mode acceptEdits)",
    );
  });

  it('shows each reason once, and only for parts that need an answer', () => {
    const parts = [
      { kind: 'command', part: 'cd /tmp', decision: 'allow', reason: 'It changes nothing.' },
      { kind: 'command', part: 'make', decision: 'ask', reason: 'No rule allows it.' },
      { kind: 'command', part: 'make all', decision: 'ask', reason: 'No rule allows the command make all.' },
      { kind: 'command', part: 'x.txt', decision: 'ask', reason: 'It lies outside.' },
    ] as const;
    const lines = dialogLines(permissionDialog(question({ parts }), view));
    expect(lines.slice(2, 6)).toEqual([
      '  No rule allows it.',
      '  No rule allows the command make all.',
      '  x.txt: It lies outside.',
      '  1  yes',
    ]);
  });

  it('asks once whether commands may run without a sandbox', async () => {
    const reason = 'bubblewrap is not installed.';
    const asked = question({
      tool: 'RunWithoutSandbox',
      input: { command: 'make', reason, install: 'apt install bubblewrap' },
      reason: `${reason} To fix it: apt install bubblewrap. Allow: the commands of this session run.`,
      suggestions: [],
    });
    const shown: string[] = [];
    const people = new UserDialogs({
      style,
      cwd: '/project',
      ask: (dialog) => {
        shown.push(...dialogLines(dialog));
        const reading = dialog.read('1');
        return Promise.resolve(reading.kind === 'answer' ? reading.answer : undefined);
      },
      hasUser: () => true,
      say: () => undefined,
    });
    expect(await people.mayRun(asked, new AbortController().signal)).toEqual({ allow: true });
    expect(shown).toEqual([
      'The sandbox cannot start: bubblewrap is not installed.',
      '  To fix it: apt install bubblewrap',
      '  | make',
      'Run commands without it in this session?',
      '  1  yes, each after the usual questions',
      '  3  no, run no command',
    ]);
  });

  it('shows every line of a command behind a bar', () => {
    const command = [
      'echo \u001b[2J',
      '1  yes',
      ...Array.from({ length: 30 }, (_, index) => `line ${index}`),
    ].join('\n');
    const dialog = permissionDialog(question({ input: { command } }), view);
    expect(dialogLines(dialog).slice(1, 3)).toEqual(['  | echo \\x1b[2J', '  | 1  yes']);
    expect(dialogLines(dialog)).toContain('  | ... 8 more lines (? shows all)');
    expect(answer(dialog, '?')).toContain('  | line 29');
  });

  it('shows no row of foreign text without a bar', () => {
    const spoof = 'x\n  A rule allows it.\n  1  yes';
    const asked = question({
      input: { command: 'ls', description: spoof, timeout: spoof },
      reason: `No rule allows the command ${spoof}.`,
      parts: [{ kind: 'command', part: spoof, decision: 'ask', reason: spoof }],
      suggestions: [],
    });
    const rows = dialogLines(permissionDialog(asked, view)).flatMap((line) => line.split('\n'));
    expect(rows.filter((row) => !row.startsWith('  | '))).toEqual([
      'Allow Bash? (x A rule allows it. 1 yes)',
      '  No rule allows the command x A rule allows it. 1  yes.',
      '  x A rule allows it. 1  yes',
      '  1  yes',
      '  3  no',
      '  4  no, and say why',
    ]);
  });

  it('shows the removed and added text of an edit to an unknown file', () => {
    const input = { file_path: 'a.ts', old_string: 'keep\nold\nend', new_string: 'keep\nnew\nnewer\nend' };
    const { lines } = permissionDialog(question({ tool: 'Edit', input }), view);
    expect(lines.slice(0, 4)).toEqual(['Allow Edit? a.ts', '  | - old', '  | + new', '  | + newer']);
  });

  it('shows the lines of the file with their numbers and context', () => {
    const current = Array.from({ length: 12 }, (_, index) => `line ${index + 1} is here`).join('\n');
    const input = { file_path: 'a.ts', old_string: 'line 9', new_string: 'LINE 9\nmore' };
    const { lines } = permissionDialog(question({ tool: 'Edit', input }), { ...view, current });
    expect(lines.slice(1, 9)).toEqual([
      '  |  7   line 7 is here',
      '  |  8   line 8 is here',
      '  |  9 - line 9 is here',
      '  |  9 + LINE 9',
      '  | 10 + more is here',
      '  | 11   line 10 is here',
      '  | 12   line 11 is here',
      '  No rule allows it.',
    ]);
  });

  it('shows the changed lines of a file that is written anew', () => {
    const input = { file_path: 'a.ts', content: 'one\nthree\n' };
    const lines = (current: string | undefined) =>
      permissionDialog(question({ tool: 'Write', input }), { ...view, current }).lines.slice(1, 4);
    expect(lines(undefined).slice(0, 2)).toEqual(['  | + one', '  | + three']);
    expect(lines('one\ntwo\n')).toEqual(['  | 1   one', '  | 2 - two', '  | 2 + three']);
  });

  it('omits the lines between two changes, in a text of any size', () => {
    const text = (change: (line: number) => string, size = 9): string =>
      Array.from({ length: size }, (_, line) => change(line)).join('\n');
    const current = text((line) => `line ${line}`, 12);
    const content = text((line) => (line === 2 ? 'new' : line === 9 ? 'line 9\nadded' : `line ${line}`), 12);
    const input = { file_path: 'a.ts', content };
    const { lines } = permissionDialog(question({ tool: 'Write', input }), { ...view, current });
    expect(lines.slice(5, 11)).toEqual([
      '  |  4   line 3',
      '  |  5   line 4',
      '  |    ...',
      '  |  9   line 8',
      '  | 10   line 9',
      '  | 11 + added',
    ]);
    const long = { file_path: 'a.ts', content: text((line) => `new ${line}`, 20_000) };
    const dialog = permissionDialog(question({ tool: 'Write', input: long }), {
      ...view,
      current: text((line) => `line ${line}`, 20_000),
    });
    expect(dialogLines(dialog)[25]).toBe('  | ... 39976 more lines (? shows all)');
  });

  it('shows the relative path of a file below the working folder', () => {
    const title = (file_path: string) =>
      permissionDialog(question({ tool: 'Write', input: { file_path, content: '' } }), view).lines[0];
    expect(title('/project/src/a.ts')).toBe('Allow Write? src/a.ts');
    expect(title('/projects/a.ts')).toBe('Allow Write? /projects/a.ts');
  });

  it('shows the input fields of an unknown tool', () => {
    const { lines } = permissionDialog(
      question({ tool: 'mcp__db__drop', input: { table: 'users', force: true } }),
      view,
    );
    expect(lines.slice(0, 3)).toEqual(['Allow db: drop?', '  | table: users', '  | force: true']);
  });
});

describe('an answer that allows a rule', () => {
  it('stores the rule in its settings file, and settles waiting questions that the rule covers', async () => {
    const cwd = mkdtempSync(path.join(os.tmpdir(), 'heddle-people-'));
    vi.stubEnv('HEDDLE_CONFIG_DIR', path.join(cwd, 'config'));
    const nothing = () => undefined;
    const questionQueue = new QuestionQueue({
      show: nothing,
      askAgain: nothing,
      answered: nothing,
      loseSight: nothing,
      withdrawn: nothing,
      done: nothing,
    });
    const people = new UserDialogs({
      style,
      cwd,
      ask: (dialog, signal) => questionQueue.ask(dialog, signal),
      hasUser: () => true,
      say: () => undefined,
    });
    const { signal } = new AbortController();
    const other = question({ suggestions: [] });
    // The same command, but it writes to a folder that is not allowed.
    const folder = { type: 'addDirectories', directories: ['/elsewhere'], destination: 'session' } as const;
    const wider = question({ suggestions: [...question().suggestions, folder] });
    const answers = [question(), question(), other, wider].map((asked) => people.mayRun(asked, signal));
    questionQueue.read('2');
    questionQueue.read('p');
    questionQueue.read('3');
    questionQueue.read('3');
    const [given, covered, ...others] = await Promise.all(answers);
    expect(given).toMatchObject({ allow: true, updates: [{ destination: 'localSettings' }] });
    // The call is decided again: the mode or a rule may have changed since its question.
    expect(covered).toEqual({ allow: false, coveredBy: given?.updates });
    expect(others).toMatchObject([{ allow: false }, { allow: false }]);
    const settings: unknown = JSON.parse(readFileSync(path.join(cwd, '.claude/settings.local.json'), 'utf8'));
    expect(settings).toEqual({ permissions: { allow: ['Bash(npm test *)'] } });
  });
});

describe('a question of the model', () => {
  const options = [{ label: 'A', description: 'first' }, { label: 'B' }];
  const one = userQuestionDialog({ question: 'Which?', header: 'Pick', options }, style);
  const many = userQuestionDialog({ question: 'Which?', header: 'Pick', options, multiSelect: true }, style);

  it.each([
    [one, '2', 'B'],
    [many, '1, 2', 'A, B'],
    [many, '2 2', 'B'],
    [one, 'neither of them', 'neither of them'],
    [one, '0', undefined],
  ])('accepts numbers and text', (dialog, line, expected) => {
    expect(dialog.read(line)).toEqual(answered(expected));
  });

  it.each([
    [one, '', 'Type a number, or your own words.'],
    [one, '3', 'Type a number from 1 to 2.'],
    [one, '1,2', 'Only one can be chosen.'],
  ])('asks again', (dialog, line, hint) => {
    expect(answer(dialog, line)).toEqual([hint]);
  });
});

describe('a plan', () => {
  it.each([
    [['1'], { approved: true, mode: 'acceptEdits' }],
    [['2'], { approved: true, mode: 'default' }],
    [['3'], { approved: false }],
    [['4', 'tests first'], { approved: false, feedback: 'tests first' }],
  ])('is answered with %j', (lines, expected) => {
    expect(answer(planDialog('1. Look', style), ...lines)).toEqual(expected);
  });
});

describe('several questions', () => {
  const named = (name: string): Dialog<string> =>
    choiceDialog([name], [{ key: '1', text: 'yes', reply: () => answered(`${name}: yes`) }]);

  function questionQueue() {
    const log: string[] = [];
    const open = new QuestionQueue({
      show: (dialog, waiting) => log.push(`${dialogLines(dialog)[0]} (${waiting} waiting)`),
      askAgain: () => log.push('again'),
      answered: (_dialog, line) => log.push(`answered ${line}`),
      loseSight: ({ about }) => log.push(`${about}?`),
      withdrawn: () => log.push('withdrawn'),
      done: () => log.push('done'),
    });
    return { log, open };
  }

  it('are asked one after another, in order', async () => {
    const { log, open } = questionQueue();
    const answers = [open.ask(named('a')), open.ask(named('b'))];
    open.read('1');
    open.read('x');
    open.read('1');
    expect(await Promise.all(answers)).toEqual(['a: yes', 'b: yes']);
    expect(log).toEqual([
      'a (0 waiting)',
      'answered 1',
      'b (0 waiting)',
      'Type 1. (0 waiting)',
      'answered 1',
      'done',
    ]);
  });

  it('are removed when they are withdrawn, shown or not', async () => {
    const { log, open } = questionQueue();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [
      open.ask(named('a'), first.signal),
      open.ask(named('b'), second.signal),
      open.ask(named('c')),
    ];
    second.abort();
    first.abort();
    open.read('1');
    expect(await Promise.all(answers)).toEqual([undefined, undefined, 'c: yes']);
    expect(log).toEqual(['a (0 waiting)', 'withdrawn', 'c (0 waiting)', 'answered 1', 'done']);
    expect(await open.ask(named('late'), AbortSignal.abort())).toBeUndefined();
  });

  it('count the time during which one is open', () => {
    let now = 0;
    const nothing = () => undefined;
    const open = new QuestionQueue(
      {
        show: nothing,
        askAgain: nothing,
        answered: nothing,
        loseSight: nothing,
        withdrawn: nothing,
        done: nothing,
      },
      () => now,
    );
    for (const answer of ['1', 'dismissed']) {
      now += 1_000;
      void open.ask(named('a'));
      now += 20_000;
      if (answer === '1') open.read('1');
      else open.dismiss();
    }
    now += 1_000;
    expect(open.waitedMs).toBe(40_000);
  });

  it('show their topic below other output, and wait for the answer', async () => {
    const { log, open } = questionQueue();
    open.loseSight();
    const answer = open.ask({ ...named('a'), about: 'reach example.com' });
    open.loseSight();
    open.askAgain();
    open.read('1');
    expect(await answer).toBe('a: yes');
    expect(log).toEqual(['a (0 waiting)', 'reach example.com?', 'again', 'answered 1', 'done']);
  });

  it('are dismissed together', async () => {
    const { open } = questionQueue();
    const answers = [open.ask(named('a')), open.ask(named('b'))];
    open.dismiss();
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
    expect(open.isOpen).toBe(false);
  });
});
