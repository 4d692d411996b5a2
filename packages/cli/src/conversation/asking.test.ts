/** Questions and commands in a conversation: the real program in a pty. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, createTestGate, cut, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { PROMPT, setUpScenes, touch } from './test/scene.ts';
import { CTRL_C, CTRL_D, ENTER, SHIFT_TAB } from './test/terminal.ts';

const { scene } = setUpScenes();

describe('a permission question', () => {
  it('is not asked again after its rule is in the settings', async () => {
    const { folder, start } = await scene([
      [touch('new.txt', 't1')],
      [say('First.')],
      [touch('new.txt', 't2')],
      [say('Second.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees('allow?');
    terminal.type(`2p${ENTER}`);
    await terminal.sees('First.');
    await terminal.sees(PROMPT);
    terminal.type(CTRL_D);
    await terminal.ended;
    const later = start(['go']);
    await later.sees('Second.');
    expect(later.text).not.toContain('allow?');
    expect(readFileSync(path.join(folder, 'new.txt'), 'utf8')).toBe('');
  });

  it('shows the change of a file', async () => {
    const { folder, start } = await scene([
      [call('Read', { file_path: 'a.txt' }, 'r1')],
      [call('Edit', { file_path: 'a.txt', old_string: 'one\ntwo', new_string: 'one\nthree' }, 'e1')],
      [say('Done.')],
    ]);
    writeFileSync(path.join(folder, 'a.txt'), 'one\ntwo\n');
    writeFileSync(path.join(folder, 'AGENTS.md'), 'Be kind.\n');
    const terminal = start(['go']);
    await terminal.sees('(instructions: AGENTS.md)');
    await terminal.sees('✓ 2 lines');
    await terminal.sees('Allow Edit? a.txt');
    await terminal.sees('| 2 - two');
    await terminal.sees('| 2 + three');
    await terminal.sees('yes, and allow all edits (mode acceptEdits) in this session');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`2${ENTER}`);
    await terminal.sees('Done.');
    await terminal.sees(/\nacceptEdits>$/);
    expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  it('shows the change of a file whose path starts with a tilde', async () => {
    const { folder, start } = await scene([
      [call('Read', { file_path: '~/a.txt' }, 'r1')],
      [call('Edit', { file_path: '~/a.txt', old_string: 'two', new_string: 'three' }, 'e1')],
      [say('Done.')],
    ]);
    writeFileSync(path.join(folder, 'a.txt'), 'one\ntwo\n');
    const terminal = start(['go']);
    await terminal.sees('Allow Edit?');
    await terminal.sees('| 2 - two');
    await terminal.sees('| 2 + three');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`1${ENTER}`);
    await terminal.sees('Done.');
    expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  it('reports that it is withdrawn with its attempt, and keeps the typed text', async () => {
    const [before, after] = [createTestGate(), createTestGate()];
    const { start } = await scene([
      [say('Let me look.'), before, call('Read', { file_path: 'secret.txt' }, 'r1'), after, cut()],
      [say('I thought better of it.')],
    ]);
    const ask = JSON.stringify({ permissions: { ask: ['Read(secret.txt)'] } });
    const terminal = start(['go', '--settings', ask]);
    await terminal.sees('Let me look.');
    terminal.type('half a line');
    await terminal.sees('> half a line');
    before.open();
    await terminal.sees('Allow Read? secret.txt');
    await terminal.sees('Your keys edit the prompt. Press an arrow key to answer.');
    after.open();
    await terminal.sees('(the question (Read secret.txt) is withdrawn: its call was discarded)');
    await terminal.sees('the answer was cut at the output limit');
    await terminal.sees('I thought better of it.');
    await terminal.sees(/\n> half a line$/);
  });

  it('waits for the one before it', async () => {
    const fetching = (page: string, id: string) =>
      call('WebFetch', { url: `https://${page}/`, prompt: 'x' }, id);
    const { sent, start } = await scene([
      [fetching('one.example', 'w1'), fetching('two.example', 'w2')],
      [say('Neither, then.')],
    ]);
    const terminal = start(['go', '--tools', 'WebFetch']);
    await terminal.sees('https://one.example/');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`3${ENTER}`);
    await terminal.sees('https://two.example/');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`4${ENTER}`);
    await terminal.sees('why?');
    terminal.type(`I know it already${ENTER}`);
    await terminal.sees('Neither, then.');
    expect(sent(2)).toContain('I know it already');
  });

  it.each([
    ['default', 2, 'ran'],
    ['plan', 1, 'Plan mode: nothing with effects runs.'],
  ])('that an earlier answer covers is decided again, in the mode %s', async (mode, count, told) => {
    const started = (name: string) => call('Agent', { description: name, prompt: `Task ${name}.` }, name);
    const { folder, sent, api, start } = await scene((body) => {
      const text = JSON.stringify(body.messages);
      const name = /Task (\w+)\./.exec(text)?.[1];
      const isFirst = !text.includes('tool_result');
      if (text.includes('"tool_use"') && text.includes('"Agent"')) return [say('Done.')];
      if (name === undefined) return [started('aa'), started('bb')];
      return isFirst ? [call('Bash', { command: `npm test ${name}` }, `b-${name}`)] : [say('Reported.')];
    });
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ scripts: { test: 'f() { echo "$1" >> ran.txt; echo ran; }; f' } }),
    );
    const terminal = start(['go']);
    await terminal.sees('Allow Bash?');
    await terminal.shows(/Agent aa.*Bash \(1 call[^]*Agent bb.*Bash \(1 call[^]*\nallow\?$/);
    terminal.type(`/mode ${mode}${ENTER}`);
    await terminal.shows(new RegExp(`The mode is ${mode}[^]*\nallow\\?$`));
    terminal.type(`2s${ENTER}`);
    await terminal.sees('Done.');
    const names = readFileSync(path.join(folder, 'ran.txt'), 'utf8').trim().split('\n');
    expect(names).toHaveLength(count);
    // Either of the two may ask first.
    const other = names[0] === 'aa' ? 'bb' : 'aa';
    const later = api.requests
      .map((_, index) => sent(index + 1))
      .filter((text) => text?.includes(`Task ${other}.`) && text.includes('tool_result'));
    expect(later.join('')).toContain(told);
  });

  it('is denied by Ctrl-C, and the turn ends', async () => {
    const { folder, start } = await scene([[touch('never.txt', 't1')], [say('never')]]);
    const terminal = start(['go']);
    await terminal.sees('allow?');
    terminal.type(CTRL_C);
    await terminal.sees('Interrupted.');
    await terminal.sees(PROMPT);
    expect(existsSync(path.join(folder, 'never.txt'))).toBe(false);
  });
});

describe('a run that repeats itself', () => {
  const look = (id: number) => [call('Bash', { command: 'echo same' }, `b${id}`)];

  it.each([
    ['1', 'Done.'],
    ['3', 'same result'],
  ])('asks the user whether to continue, and follows the answer %s', async (answer, shown) => {
    const { api, start } = await scene([
      ...Array.from({ length: 12 }, (_, index) => look(index)),
      [say('Done.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees('The model repeats itself');
    await terminal.sees('| Bash, 12 times');
    await terminal.sees('continue?');
    terminal.type(`${answer}${ENTER}`);
    await terminal.sees(shown);
    await terminal.sees(PROMPT);
    const asked = api.requests.filter(({ path }) => path === '/v1/messages');
    expect(asked).toHaveLength(answer === '1' ? 13 : 12);
  });
});

describe('closing the window while a question is open', () => {
  it('interrupts the turn without a denial, and sends no further request', async () => {
    const { api, start } = await scene([[touch('never.txt', 't1')], [say('never')]]);
    const terminal = start(['go']);
    await terminal.sees('allow?');
    terminal.close();
    await terminal.ended;
    const later = start(['--continue']);
    await later.sees('(interrupted)');
    await later.sees(PROMPT);
    later.type(`/output${ENTER}`);
    await later.sees('interrupted before it began');
    expect(api.requests.filter(({ path }) => path === '/v1/messages')).toHaveLength(1);
  });

  it('has the same effect as Ctrl-D', async () => {
    const { api, start } = await scene([[touch('never.txt', 't1')], [say('never')]]);
    const terminal = start(['go']);
    await terminal.sees('allow?');
    terminal.type(CTRL_D);
    await terminal.sees('Interrupted.');
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(api.requests.filter(({ path }) => path === '/v1/messages')).toHaveLength(1);
  });
});

describe('during a question', () => {
  it('commands print their output, and the prompt shows the topic of the question', async () => {
    const { start } = await scene([[touch('new.txt', 't1')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    terminal.type(`/todos${ENTER}`);
    await terminal.sees('There is nothing on the list.');
    await terminal.sees(/\nallow\?$/);
    terminal.type(SHIFT_TAB);
    await terminal.sees('The mode is acceptEdits');
    terminal.type(`use yarn instead${ENTER}`);
    await terminal.sees('4 denies it and sends: use yarn instead');
    terminal.type(`4${ENTER}`);
    await terminal.sees('They said: use yarn instead');
    await terminal.sees('Done.');
    await terminal.sees(/\nacceptEdits>$/);
    terminal.type(SHIFT_TAB);
    await terminal.sees(/\nplan>$/);
  });

  it('a command that cannot run now runs after the turn, and does not answer the question', async () => {
    const { folder, start } = await scene([[touch('new.txt', 't1')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    terminal.type(`/effort high${ENTER}`);
    await terminal.sees('(runs after this turn: /effort high)');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`!echo th'r'ee${ENTER}`);
    await terminal.sees("(runs after this turn: !echo th'r'ee)");
    await terminal.sees(/\nallow\?$/);
    terminal.type(`/mdoel opus${ENTER}`);
    await terminal.sees('Did you mean /model?');
    await terminal.sees(/\nallow\?$/);
    terminal.type(`1${ENTER}`);
    await terminal.sees('Done.');
    await terminal.sees('The effort is high');
    await terminal.sees('three');
    expect(existsSync(path.join(folder, 'new.txt'))).toBe(true);
    expect(terminal.text).not.toContain('4 says no');
  });

  it('a partial answer is discarded with its question', async () => {
    const { start } = await scene([[touch('new.txt', 't1')]]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    terminal.type('half an answer');
    await terminal.sees('allow? half an answer');
    terminal.type(CTRL_C);
    await terminal.sees('Interrupted.');
    await terminal.sees(PROMPT);
  });

  it('the end of a background command is reported, and the question stays visible', async () => {
    const command = 'until [ -e go ]; do sleep 0.05; done';
    const { folder, start } = await scene([
      [call('Bash', { command, run_in_background: true }, 'b1')],
      [call('WebFetch', { url: 'https://a.example/', prompt: 'x' }, 'w1')],
      [say('never')],
    ]);
    const terminal = start(['go', '--allowed-tools', 'Bash', '--tools', 'Bash,WebFetch']);
    await terminal.sees('Allow WebFetch?');
    await terminal.sees(/\nallow\?$/);
    writeFileSync(path.join(folder, 'go'), '');
    await terminal.sees(/ended, exit code 0[^]*Allow WebFetch\?[^]*\nallow\?$/);
  });
});

describe('a command in the background', () => {
  it('is listed and stopped by the user', async () => {
    const command = "echo wor'k'ing; sleep 600";
    const { start } = await scene([
      [call('Bash', { command, run_in_background: true }, 'b1')],
      [say('It runs.')],
    ]);
    const terminal = start(['go', '--allowed-tools', 'Bash']);
    await terminal.sees('✓ runs in the background: /tasks');
    await terminal.sees('It runs.');
    await terminal.sees(PROMPT);
    const [, id] = /\/tasks (\w+)/.exec(terminal.text) ?? [];
    terminal.type(`/tasks ${id}${ENTER}`);
    await terminal.sees('| working');
    await terminal.sees(PROMPT);
    terminal.type(`/tasks stop${ENTER}`);
    await terminal.sees(`${id} is stopped.`);
    await terminal.sees(PROMPT);
    terminal.type(`/tasks stop ${id}${ENTER}`);
    await terminal.sees(`${id} is over already.`);
    await terminal.sees(PROMPT);
    terminal.type(`/output 5${ENTER}`);
    await terminal.sees('There is one call so far: /output shows it.');
    await terminal.sees(PROMPT);
    terminal.type(`/tasks nope${ENTER}`);
    await terminal.sees('There is no such task.');
  });
});

describe('a question of the model', () => {
  it('is answered with numbers or with text', async () => {
    const options = [{ label: 'SQLite', description: 'a file' }, { label: 'Postgres' }];
    const questions = [
      { header: 'Store', question: 'Which store?', options },
      {
        header: 'Days',
        question: 'Which days?',
        multiSelect: true,
        options: [{ label: 'Mon' }, { label: 'Tue' }],
      },
      { header: 'Name', question: 'Which name?', options },
    ];
    const { sent, start } = await scene([[call('AskUserQuestion', { questions }, 'q1')], [say('Thanks.')]]);
    const terminal = start(['go']);
    await terminal.sees('Store: Which store?');
    await terminal.sees('1  SQLite: a file');
    await terminal.sees('answer>');
    terminal.type(`3${ENTER}`);
    await terminal.sees('Type a number from 1 to 2.');
    terminal.type(`2${ENTER}`);
    await terminal.sees('Which days?');
    await terminal.sees(/\nanswer>$/);
    terminal.type(`1,2${ENTER}`);
    await terminal.sees('Which name?');
    await terminal.sees(/\nanswer>$/);
    terminal.type(`call it Bob${ENTER}`);
    await terminal.sees('Thanks.');
    expect(sent(2)).toContain(
      'Which store?\\n→ Postgres\\nWhich days?\\n→ Mon, Tue\\nWhich name?\\n→ call it Bob',
    );
  });

  it('sets the mode when a plan is approved', async () => {
    const { start } = await scene([
      [call('ExitPlanMode', { plan: '1. Look\n2. **Act** now' }, 'p1')],
      [say('At work.')],
    ]);
    const terminal = start(['go', '--permission-mode', 'plan']);
    await terminal.sees('plan> go');
    await terminal.sees('| 2. Act now');
    await terminal.sees('plan?');
    expect(terminal.text).not.toContain('You are planning');
    terminal.type(`1${ENTER}`);
    await terminal.sees('At work.');
    await terminal.sees(/\nacceptEdits>$/);
  });
});

describe('commands', () => {
  it('work on a plain screen, and an unknown command suggests a similar one', async () => {
    const { folder, sent, start } = await scene([[say('The answer.')], [say('Afterwards.')], [say('New.')]]);
    const terminal = start(['the first prompt']);
    await terminal.sees('The answer.');
    const answers: readonly (readonly [string, string | RegExp])[] = [
      ['/contxt', 'Did you mean /context?'],
      ['/help', '/compact [instructions]'],
      ['/status', /instructions +none[^]+mode +default[^]+sandbox +off[^]+compacts at/],
      ['/context', /compacts at \S+ \(\d+ % of that used\)/],
      ['/cost', 'in this session'],
      ['/mode plan', 'The mode is plan'],
      ['/mode default', 'The mode is default'],
      ['/permissions add allow Bash(make *)', 'added'],
      ['/permissions', 'allow Bash(make *)'],
      ['/rename the bad one', 'This session is called the bad one.'],
      ['/rename -', 'The name is removed.'],
      ['/rename the good one', 'This session is called the good one.'],
      ['/rename', 'This session is called the good one. Another one: /rename TITLE'],
      ['/permissions ad', '/permissions ad is not a command'],
      ['/doctor', 'claude-sonnet-4-5, in this conversation'],
      ['/export', /exports\/heddle-\w{8}\.md/],
      ['/export talk.md', 'The conversation is in talk.md.'],
      ['/export no/such/talk.md', 'no/such/talk.md cannot be written: ENOENT'],
      ['/output', 'No call has come to an end yet.'],
      ['/todos', 'There is nothing on the list.'],
      ['/tasks', 'Nothing runs in the background.'],
      ['/effort high', 'The effort is high'],
      ['/permissions trust', 'takes effect at the next start'],
      ['!', 'type a command after the !'],
      ['!cd config', 'cd affects only its own command'],
      ['!echo from $((40 + 2))', 'from 42'],
    ];
    for (const [typed, answer] of answers) {
      await terminal.sees(PROMPT);
      terminal.type(`${typed}${ENTER}`);
      await terminal.sees(answer);
    }
    expect(terminal.text).not.toContain('was written');
    expect(readFileSync(path.join(folder, 'talk.md'), 'utf8')).toContain('the first prompt');
    await terminal.sees(PROMPT);
    terminal.type(`what did I run?${ENTER}`);
    await terminal.sees('Afterwards.');
    expect(sent(2)).toContain('<bash-input>echo from $((40 + 2))</bash-input>');
    await terminal.sees(PROMPT);
    terminal.type(`/rewind${ENTER}`);
    await terminal.sees('2  what did I run?');
    await terminal.sees('rewind>');
    terminal.type(`1${ENTER}`);
    await terminal.sees('what>');
    terminal.type(`2${ENTER}`);
    await terminal.sees('> the first prompt');
    terminal.type(` once more${ENTER}`);
    await terminal.sees('New.');
    expect(sent(3)).toContain('the first prompt once more');
    expect(sent(3)).not.toContain('what did I run?');
    await terminal.sees(PROMPT);
    terminal.type(`/clear${ENTER}`);
    await terminal.sees('A new session.');
    await terminal.sees(PROMPT);
    terminal.type(`/resume${ENTER}`);
    await terminal.sees('1  the good one');
    await terminal.sees('session>');
    terminal.type(`1${ENTER}`);
    await terminal.sees('New.');
    await terminal.sees(PROMPT);
    terminal.type(`/exit${ENTER}`);
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  });
});

describe('/status', () => {
  it('shows the working folder of commands after it changed', async () => {
    const { start } = await scene([[call('Bash', { command: 'cd config' }, 'c1')], [say('There.')]]);
    const terminal = start(['go', '--allowed-tools', 'Bash']);
    await terminal.sees('There.');
    await terminal.sees(PROMPT);
    terminal.type(`/status${ENTER}`);
    await terminal.sees(/commands run in +\S+\/config\n/);
  });
});

describe('/rewind', () => {
  it('restores files that changed outside the session only on request, and can be undone', async () => {
    const { folder, start } = await scene([
      [call('Write', { file_path: 'a.txt', content: 'agent\n' }, 'w1')],
      [call('Write', { file_path: 'b.txt', content: 'agent\n' }, 'w2')],
      [say('Written.')],
    ]);
    const [a, b] = ['a.txt', 'b.txt'].map((name) => path.join(folder, name)) as [string, string];
    const terminal = start(['go', '--permission-mode', 'acceptEdits']);
    const goBack = async (): Promise<void> => {
      await terminal.sees(/(^|\n)acceptEdits>$/);
      terminal.type(`/rewind 1${ENTER}`);
      await terminal.sees('what>');
      terminal.type(`3${ENTER}`);
    };
    await terminal.sees('Written.');
    writeFileSync(a, 'agent\nmine\n');
    await goBack();
    await terminal.sees('Changed outside the session since the agent wrote it:');
    await terminal.sees('others>');
    terminal.type(CTRL_C);
    expect(existsSync(b)).toBe(true);
    await goBack();
    await terminal.sees('others>');
    terminal.type(`1${ENTER}`);
    await terminal.sees('1 file restored');
    await terminal.sees(/not restored, because it was changed outside\s+the session:\s+\S+a\.txt/);
    await terminal.sees(/to undo this: \/rewind rewind-\w{8}\n/);
    expect([readFileSync(a, 'utf8'), existsSync(b)]).toEqual(['agent\nmine\n', false]);

    const [, undo = ''] = /undo this: (\S+ \S+)/.exec(terminal.text) ?? [];
    await terminal.sees(/(^|\n)acceptEdits>$/);
    terminal.type(`${undo}${ENTER}`);
    await terminal.sees('1 file restored');
    expect(readFileSync(b, 'utf8')).toBe('agent\n');
    await goBack();
    await terminal.sees('others>');
    terminal.type(`2${ENTER}`);
    await terminal.sees('2 files restored');
    expect([existsSync(a), existsSync(b)]).toEqual([false, false]);
    await goBack();
    await terminal.sees('There is nothing to restore. The files have not changed since that message.');
  });
});
