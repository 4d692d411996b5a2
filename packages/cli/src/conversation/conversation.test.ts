/** A conversation with the real program in a pty. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { breakOff, call, createTestGate, fail, hang, say, think } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { PROMPT, setUpScenes, touch } from './test/scene.ts';
import { CTRL_C, CTRL_D, ENTER, UP } from './test/terminal.ts';

const { scene, home } = setUpScenes();

describe('a whole session', () => {
  it('asks, stores rules, queues typed text, is interrupted and killed, and continues', async () => {
    const [first, second] = [createTestGate(), createTestGate()];
    const { folder, api, sent, start } = await scene([
      [think('Let me see.'), say('I make a file.'), call('Bash', { command: 'mkdir -v one' }, 'b1')],
      [say('Made it.')],
      [say('Another '), say(first, 'one.'), call('Bash', { command: 'mkdir -v two' }, 'b2')],
      [say('Both are there.')],
      [say('This takes '), hang()],
      [say('I stopped. '), say('Now '), call('Bash', { command: 'touch three; sleep 600' }, 'b3')],
      [say('Where were we?', second)],
    ]);
    const terminal = start(['make a folder']);
    await terminal.sees('> make a folder');
    await terminal.sees('(thinking Let me see.)');
    await terminal.sees('I make a file.');
    await terminal.sees('| mkdir -v one');
    await terminal.sees("2  yes, and don't ask again: Bash(mkdir -v one)");
    await terminal.sees('allow?');
    terminal.type(`5${ENTER}`);
    await terminal.sees('Type 1, 2, 3 or 4.');
    terminal.type(`2${ENTER}`);
    await terminal.sees('p  this project (.claude/settings.local.json)');
    await terminal.sees('allow where?');
    terminal.type(`p${ENTER}`);
    await terminal.sees('● Bash mkdir -v one');
    await terminal.sees("✓ mkdir: created directory 'one'");
    await terminal.sees('Made it.');
    await terminal.sees(/2 answers · [\d.]+ s · \$0\.\d+ · \d+ % of the window/);
    expect(JSON.parse(readFileSync(path.join(folder, '.claude/settings.local.json'), 'utf8'))).toEqual({
      permissions: { allow: ['Bash(mkdir -v one)'] },
    });

    await terminal.sees(PROMPT);
    terminal.type(`again${ENTER}`);
    await terminal.sees('Another');
    terminal.type(`with care, please${ENTER}`);
    await terminal.sees('(queued: with care, please)');
    first.open();
    await terminal.sees('| mkdir -v two');
    await terminal.sees('allow?');
    terminal.type(`4 not that one${ENTER}`);
    await terminal.sees('They said: not that one');
    await terminal.sees('> with care, please');
    await terminal.sees('Both are there.');
    expect(sent(4)).toContain('with care, please');
    expect(sent(4)).toContain('not that one');

    await terminal.sees(PROMPT);
    terminal.type(`take your time${ENTER}`);
    await terminal.sees('This takes');
    terminal.type(`a thought${ENTER}`);
    await terminal.sees('(queued: a thought)');
    terminal.type(CTRL_C);
    await terminal.sees('Interrupted.');
    await terminal.sees('> a thought');
    terminal.type(` of mine${ENTER}`);
    await terminal.sees('> a thought of mine');
    await terminal.sees('| touch three; sleep 600');
    await terminal.sees('allow?');
    expect(sent(6)).toContain('[Request interrupted by user]');
    terminal.type(`1${ENTER}`);
    await terminal.sees('● Bash touch three; sleep 600');
    terminal.kill('SIGKILL');
    await terminal.ended;

    const later = start(['--continue']);
    await later.sees('> a thought of mine');
    await later.sees(/I stopped\.\s+Now/);
    await later.sees('1 call did not end');
    await later.sees(PROMPT);
    later.type(`well?${ENTER}`);
    second.open();
    await later.sees('Where were we?');
    expect(sent(7)).toContain('It may or may not have taken effect');
    await later.sees(PROMPT);
    later.type(CTRL_D);
    await later.sees(/Resume this conversation with: heddle --resume \w{8}$/m);
    expect(await later.ended).toMatchObject({ exitCode: 0 });
    api.assertNoViolations();
  });
});

describe('the line being typed', () => {
  it('keeps a paste together, and is in the history of the next session', async () => {
    const { sent, start } = await scene([[say('Got it.')], [say('Again.')]]);
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type('\u001b[200~one\rtwo\r\u001b[201~');
    await terminal.sees(/> one\n {2}two/);
    terminal.type(`three${ENTER}`);
    await terminal.sees('Got it.');
    expect(sent(1)).toContain('one\\ntwo\\nthree');
    await terminal.sees(PROMPT);
    terminal.type(CTRL_D);
    await terminal.ended;
    const later = start();
    await later.sees(PROMPT);
    later.type(UP);
    await later.sees(/> one\n {2}two\n {2}three/);
    later.type(`!${ENTER}`);
    await later.sees('Again.');
  });

  it('survives output above it and a resize of the terminal', async () => {
    const gate = createTestGate();
    const { start } = await scene([
      [say('One line.\n'), say(gate, 'Another line, which has to be wrapped by now.\n')],
    ]);
    const terminal = start(['go'], { columns: 60 });
    await terminal.sees('One line.');
    terminal.type(`${'what I type '.repeat(7)}THE END`);
    await terminal.sees('THE END');
    terminal.resize(40);
    await terminal.sees(/\n {2}what I type THE END$/);
    gate.open();
    await terminal.shows(
      /One line\.\nAnother line, which has to be wrapped by\nnow\.\n\n.*% of\n {2}the window\n──.*\n> what I type/,
    );
    expect(terminal.text.match(/> what/g)).toHaveLength(1);
  });

  it('loses nothing of fast input', async () => {
    const { sent, start } = await scene([[say('First.')], [say('Second.')]]);
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type(`one${ENTER}zwei${ENTER}!echo th'r'ee${ENTER}`);
    await terminal.sees('First.');
    await terminal.sees('> zwei');
    await terminal.sees('Second.');
    await terminal.sees("> !echo th'r'ee");
    await terminal.sees('three');
    expect([sent(1).includes('zwei'), sent(2).includes('zwei')]).toEqual([false, true]);
  });

  it('sends complete lines that were typed before the start, and keeps an incomplete one', async () => {
    const { sent, start } = await scene([[say('First.')], [say('Second.')]]);
    const terminal = start();
    terminal.type(`one${ENTER}zwei${ENTER}half a`);
    await terminal.sees('First.');
    await terminal.sees('> zwei');
    await terminal.sees('Second.');
    await terminal.sees(/\n> half a$/);
    expect([sent(1).includes('zwei'), sent(2).includes('zwei')]).toEqual([false, true]);
  });

  it('runs a shell command after the current turn, and does not send it to the model before', async () => {
    const gate = createTestGate();
    const { sent, start } = await scene([
      [say('I look. ', gate), call('Read', { file_path: 'x' }, 'r1')],
      [say('That is all.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees('I look.');
    terminal.type(`!echo th'r'ee${ENTER}`);
    await terminal.sees("(runs after this turn: !echo th'r'ee)");
    gate.open();
    await terminal.sees('That is all.');
    await terminal.sees("> !echo th'r'ee");
    await terminal.sees('three');
    expect(sent(2)).not.toContain("th'r'ee");
  });

  it('gets queued text back after an interruption without mixing lines, and shows sent text as a prompt', async () => {
    const gate = createTestGate();
    const { sent, start } = await scene([
      [say('I begin '), hang()],
      [say('Again ', gate)],
      [say('As you wish.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees('I begin');
    for (const line of ['while it works', '!echo hi', '/effort high']) terminal.type(`${line}${ENTER}`);
    await terminal.sees('(runs after this turn: /effort high)');
    terminal.type(CTRL_C);
    await terminal.sees('(not run: !echo hi; press Up to get it back)');
    await terminal.sees('(not run: /effort high; press Up to get it back)');
    await terminal.sees(/\n> while it works$/);
    terminal.type(ENTER);
    await terminal.sees('Again');
    terminal.type(`one more thing${ENTER}`);
    await terminal.sees('(queued: one more thing)');
    terminal.type(`/effort high${ENTER}`);
    await terminal.sees('(runs after this turn: /effort high)');
    gate.open();
    await terminal.sees('\n> one more thing\n\nAs you wish.');
    await terminal.sees('The effort is high');
    expect(sent(2)).not.toContain('echo hi');
  });

  it('gets queued text back after an interrupted shell command, and does not send it', async () => {
    const { api, start } = await scene([]);
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type(`!echo b'e'gun; sleep 60${ENTER}`);
    await terminal.sees('begun');
    terminal.type(`while it runs${ENTER}`);
    await terminal.sees('(queued: while it runs)');
    terminal.type(CTRL_C);
    await terminal.sees('(interrupted)');
    await terminal.sees(/\n> while it runs$/);
    expect(api.requests.filter(({ path }) => path === '/v1/messages')).toHaveLength(0);
  });

  it('survives a Ctrl-C in the external editor', async () => {
    const { folder, start } = await scene([]);
    writeFileSync(path.join(folder, 'edit.sh'), 'echo editing; sleep 60\n');
    const terminal = start([], { env: { EDITOR: 'sh edit.sh' } });
    await terminal.sees(PROMPT);
    terminal.type('a draft');
    await terminal.sees('> a draft');
    terminal.type('\u0007');
    await terminal.sees('editing');
    terminal.type(CTRL_C);
    await terminal.sees('failed; the line is unchanged');
    await terminal.sees(/\n> a draft$/);
  });

  it('is completed with Tab, found with Ctrl-R, and edited in an external editor', async () => {
    const { sent, start } = await scene([[say('One.')], [say('Two.')], [say('Three.')]]);
    const EDITOR = 'sed -i s/config/settings/';
    const terminal = start([], { env: { EDITOR } });
    await terminal.sees(PROMPT);
    terminal.type(`/stat\t${ENTER}`);
    await terminal.sees(/mode +default/);
    await terminal.sees(PROMPT);
    terminal.type(`see @conf\t${ENTER}`);
    await terminal.sees('> see @config/');
    await terminal.sees('One.');
    await terminal.sees(PROMPT);
    terminal.type(`something else${ENTER}`);
    await terminal.sees('Two.');
    await terminal.sees(PROMPT);
    terminal.type(UP + UP);
    await terminal.sees('> see @config/');
    terminal.type(CTRL_C + UP);
    await terminal.sees('> something else');
    terminal.type(`${CTRL_C}\u0012SEE`);
    await terminal.sees('search "SEE": see @config/');
    terminal.type('\u001b[C');
    await terminal.sees('> see @config/');
    terminal.type('\u0007');
    await terminal.sees('> see @settings/');
    terminal.type(ENTER);
    await terminal.sees('Three.');
    expect(sent(3)).toContain('see @settings/');
  });

  it('is sent at once with Esc', async () => {
    const { sent, start } = await scene([[say('I begin '), hang()], [say('As you wish.')]]);
    const terminal = start(['go']);
    await terminal.sees('I begin');
    terminal.type('stop that');
    await terminal.sees('> stop that');
    terminal.type('\u001b');
    await terminal.sees('As you wish.');
    expect(sent(2)).toContain('stop that');
    expect(sent(2)).not.toContain('interrupted by user');
  });
});

describe('the output', () => {
  it('cannot control the terminal', async () => {
    const { start } = await scene([
      [
        say('\u001b[2J\u001b]0;owned\u0007gone?'),
        call('Bash', { command: "printf '\\033[31mred\\ngreen\\n'" }, 'b1'),
        call('No\u001b[2Jtool', {}, 'n1'),
      ],
      [say('end')],
    ]);
    const terminal = start(['go', '--allowed-tools', 'Bash']);
    await terminal.sees('\\x1b[2J\\x1b]0;owned\\x07gone?');
    await terminal.sees('end');
    await terminal.sees(PROMPT);
    terminal.type(`/context${ENTER}`);
    await terminal.sees('No\\x1b[2Jtool');
    await terminal.sees(PROMPT);
    terminal.type(`/output 2${ENTER}`);
    await terminal.sees(/Bash printf .*\n {2}\| red\n {2}\| green\n/);
    expect(terminal.raw).not.toContain('\u001b[2J');
    expect(terminal.raw).not.toContain('\u001b]0;');
  });

  it('counts the attempts, and erases the text of a failed one', async () => {
    const { start } = await scene([
      fail('overloaded'),
      [say('Half of '), breakOff()],
      [say('The whole answer.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees(/\(overloaded \(529\), trying again in .+ \(2 of 11\)\)/);
    await terminal.shows(/the connection broke \(http[^]+ECONNRESET\)\), trying again in .+/);
    await terminal.shows('The whole answer.');
    expect(terminal.text).not.toContain('Half of');
  });

  it('contains no escape sequence on a dumb terminal', async () => {
    const { start } = await scene([[say('Plain as it is.'), touch('x', 't1')], [say('Done.')]]);
    const terminal = start([], { env: { TERM: 'dumb' } });
    await terminal.sees(PROMPT);
    terminal.type('go\n');
    await terminal.sees('allow?');
    terminal.type('1\n');
    await terminal.sees('* Bash touch x');
    await terminal.sees('Done.');
    await terminal.sees(PROMPT);
    expect(terminal.raw).not.toContain('\u001b');
    terminal.type(CTRL_D);
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  });
});

describe('leaving', () => {
  it('with a signal ends the turn, restores the terminal and prints the resume command', async () => {
    const { start } = await scene([[say('Working '), hang()]]);
    const terminal = start(['go']);
    await terminal.sees('Working');
    terminal.kill('SIGTERM');
    await terminal.sees('Resume this conversation with: heddle --resume');
    expect(await terminal.ended).toMatchObject({ exitCode: 143 });
    expect(terminal.raw.endsWith('\u001b[?2004l')).toBe(true);
  });

  it('by closing the window ends properly, although the signal arrives twice', async () => {
    const { start } = await scene([[call('Bash', { command: 'sleep 60' }, 's1')]]);
    const terminal = start(['go', '--allowed-tools', 'Bash']);
    await terminal.sees('● Bash sleep 60');
    terminal.kill('SIGHUP');
    terminal.kill('SIGHUP');
    await terminal.sees('Interrupted.');
    expect(await terminal.ended).toMatchObject({ exitCode: 129 });
    const later = start(['--continue']);
    await later.sees(PROMPT);
    expect(later.text).not.toContain('did not end');
  });

  it('needs Ctrl-C twice in a row; otherwise Ctrl-C clears the typed text', async () => {
    const { start } = await scene([]);
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type(CTRL_C);
    await terminal.sees('press Ctrl-C again to leave');
    terminal.type('half a thou');
    await terminal.sees('half a thou');
    terminal.type(CTRL_C);
    terminal.type(CTRL_C);
    await terminal.sees('press Ctrl-C again to leave');
    terminal.type(`x\u007f${CTRL_C}`);
    await terminal.sees('press Ctrl-C again to leave');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.text).not.toContain('--resume');
  });
});

describe('without a terminal', () => {
  it('suggests -p, or reads prompts line by line with --plain', async () => {
    const { run, script } = home();
    const refused = await run(['--model', 'rehearsal'], { input: 'hello\n' });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('heddle -p');
    const model = script([
      [say('One.'), touch('x', 't1')],
      [say('Two.')],
      [say('Three.'), touch('y', 't2')],
      [say('Four.')],
    ]);
    const { code, stdout } = await run(['--plain', '--model', model], {
      input: 'first \\\nprompt\n1\nsecond \\',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/> first \nprompt\nOne\.\n[\s\S]*allow\? 1\n\* Bash touch x\n[\s\S]*Two\./);
    expect(stdout).toMatch(/> second \n+Three\.\n[\s\S]*There is no user to ask\.[\s\S]*Four\./);
  });

  it('marks a replayed recording as a replay', async () => {
    const { run, script, folder } = home();
    const file = path.join(folder, 'rec.jsonl');
    await run(['-p', '--model', script([[say('One.')]]), '--record', file, 'go']);
    const { stdout } = await run(['--plain', '--model', `replay:${file}?match=none`], { input: 'go\n' });
    expect(stdout).toMatch(/^Heddle \S+ - replay:\S+, a recording of scripted:/);
    expect(stdout).toMatch(/One\.\n {2}1 answer - .* - a replay - /);
  });

  it('explains what to do if no model is configured', async () => {
    const ended = await home().run(['--plain']);
    expect(ended.code).toBe(2);
    expect(ended.stderr.trim().split('\n')).toHaveLength(2);
    expect(ended.stderr).toContain('--model rehearsal');
  });
});

describe('an earlier session', () => {
  it('is shown with its formatted answer, and suggests a copy if another process uses it', async () => {
    const { start } = await scene([[say('It is **done** now.')]]);
    const first = start(['go']);
    await first.sees('% of the window');
    await first.sees(PROMPT);
    const beside = start(['--continue'], { columns: 60 });
    await beside.sees(/is\s+in use by another process\. To continue in a copy/);
    await beside.sees(/heddle\s+--resume\s+\w{8}\s+--fork-session$/);
    expect(await beside.ended).toMatchObject({ exitCode: 1 });
    first.type(CTRL_D);
    await first.ended;
    const later = start(['--continue']);
    await later.sees('> go\n\nIt is done now.\n');
  });

  it('that does not exist is reported', async () => {
    const { start } = await scene([]);
    const terminal = start(['--resume']);
    await terminal.sees('(there is no conversation in this folder yet: this is a new one)');
    await terminal.sees(PROMPT);
  });

  it('is chosen from a list', async () => {
    const { start } = await scene([[say('Apples.')], [say('Pears.')], [say('More apples.')]]);
    for (const prompt of ['about apples', 'about pears']) {
      const terminal = start([prompt]);
      await terminal.sees('% of the window');
      await terminal.sees(PROMPT);
      terminal.type(CTRL_D);
      await terminal.ended;
    }
    const terminal = start(['--resume', 'and now to something else']);
    await terminal.sees('1  about pears');
    await terminal.sees('2  about apples');
    await terminal.sees('session>');
    terminal.type(`2${ENTER}`);
    await terminal.sees('> about apples');
    await terminal.sees('Apples.');
    await terminal.sees('> and now to something else');
    await terminal.sees('More apples.');
  });
});
