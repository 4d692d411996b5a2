/** The rich screen of the real program in a pty: cells of a terminal emulator. */
import { call, createTestGate, hang, say, thinkSigned } from '@heddle/testing';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROMPT, setUpScenes, touch } from '../conversation/test/scene.ts';
import { CTRL_C, ENTER, UP } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();
const DOWN = '\u001b[B';
const ESC = '\u001b';

const TABLE = '| name | value |\n|---|---:|\n| one | 1 |\n| twenty-two | 22 |\n';
const CODE = '```ts\nconst answer = 42; // known\n```\n';

describe('an answer', () => {
  it.each([40, 80, 200])('draws tables and colors code at %i columns', async (columns) => {
    const { start } = await scene([[say(`The **result**:\n\n${TABLE}\n${CODE}Done.`)]]);
    const terminal = start(['go'], { columns });
    await terminal.sees('Done.');
    await terminal.sees(PROMPT);
    expect(terminal.text).toContain(
      [
        '┌────────────┬───────┐',
        '│ name       │ value │',
        '├────────────┼───────┤',
        '│ one        │     1 │',
        '│ twenty-two │    22 │',
        '└────────────┴───────┘',
      ].join('\n'),
    );
    expect(terminal.text).toContain('\n  const answer = 42; // known\nDone.');
    expect(terminal.lookOf('const answer')).toMatchObject({ color: 6 });
    expect(terminal.lookOf('// known')).toMatchObject({ isDim: true });
    expect(terminal.lookOf('result')).toMatchObject({ isBold: true });
    expect(terminal.raw).not.toContain('\u001b[2J');
    expect(terminal.raw).not.toContain('\u001b[3J');
  });

  it('shortens thinking, and shows it in full after Ctrl-O. Enter in an empty line does nothing', async () => {
    const thought = `First I count.${' Then I count again.'.repeat(20)} The end of the thought.`;
    const { start } = await scene([[thinkSigned(thought, 'signature'), say('Counted.')]]);
    const terminal = start(['go']);
    await terminal.sees(/\(thinking First I count\.[^]*?…\)/);
    await terminal.sees('Counted.');
    await terminal.sees(PROMPT);
    expect(terminal.text).not.toContain('The end of the thought.');
    terminal.type('\u000f');
    await terminal.sees(/Thinking\n {2}\| First I count\.[^]*The\s+end\s+of\s+the\s+thought\./);
    const { text } = terminal;
    terminal.type(`${ENTER}${ENTER}  ${ENTER}next`);
    await terminal.sees(/> next$/);
    expect(terminal.text).toBe(`${text.trimEnd()} next`);
  });

  it('shows five lines of a long result, and all of them after Ctrl-O', async () => {
    const { start } = await scene([[call('Bash', { command: 'seq 101 112' }, 'b1')], [say('Counted.')]]);
    const terminal = start(['go', '--allowed-tools', 'Bash']);
    await terminal.sees('  ✓ 108\n    109\n    110\n    111\n    112\n    … 7 more lines (Ctrl-O)\n');
    await terminal.sees('Counted.');
    await terminal.sees(PROMPT);
    expect(terminal.text).not.toMatch(/^\W*107$/m);
    terminal.type('\u000f');
    await terminal.sees(/\W101\n[^]*\W107\n[^]*\W112\n/);
  });

  it('cannot imitate a question: the rule, the status and the input line follow it', async () => {
    const fake = 'Allow Bash?\n❯ 1   yes\n\nallow? ';
    const { start } = await scene([[say(fake), hang()]]);
    const terminal = start(['go']);
    await terminal.sees(
      /Allow Bash\?[^]*Answering[^]*\n── claude-sonnet-4-5 .*\n> typed text joins this turn$/,
    );
  });
});

describe('the region', () => {
  it('shows the activity, the steps, and the queued prompts, which Up returns to the line', async () => {
    const gate = createTestGate();
    const todos = [
      { content: 'Look', status: 'completed', activeForm: 'Looking' },
      { content: 'Act', status: 'in_progress', activeForm: 'Acting' },
    ];
    const { start, sent } = await scene([
      [call('TodoWrite', { todos }, 't1')],
      [call('Bash', { command: 'sleep 600' }, 'b1')],
      [say('Stopped.', gate)],
    ]);
    const terminal = start(['go', '--allowed-tools', 'Bash', '--permission-mode', 'acceptEdits']);
    await terminal.sees(/[\u2800-\u28ff] Running Bash sleep 600… \(\d+ s .*Esc interrupts\)/);
    await terminal.sees(/\n {2}\[x\] Look\n {2}\[>\] Act\n/);
    await terminal.sees(/\n── acceptEdits · claude-sonnet-4-5/);
    terminal.type(`first${ENTER}second${ENTER}`);
    await terminal.sees(/\(queued: first\)\n {2}\(queued: second\)/);
    terminal.type(UP);
    await terminal.sees(/> first\n\s+second$/);
    expect(terminal.text).not.toContain('queued:');
    terminal.type(CTRL_C);
    await terminal.sees('Interrupted.');
    await terminal.sees(/\nacceptEdits> first\n/);
    expect(terminal.text).not.toMatch(/Running Bash/);
    expect(sent(3)).toBe(undefined);
  });

  it('ends the turn with Esc in any state, and shows no activity at the prompt', async () => {
    const { start } = await scene([[say('Half of it '), hang()], [say('Second.')]]);
    const terminal = start(['go']);
    await terminal.sees('Half of it');
    terminal.type(ESC);
    await terminal.sees('Interrupted.');
    await terminal.sees(PROMPT);
    expect(terminal.text).not.toMatch(/Answering|Esc interrupts/);
  });

  it('fits into a window of 40 columns and 10 rows, and survives many resizes while text streams', async () => {
    const gate = createTestGate();
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index} of the answer, which is wide.`);
    const { start } = await scene([
      [say(lines.slice(0, 30).join('\n\n')), say(gate, `\n\n${lines.slice(30).join('\n\n')}`)],
    ]);
    const terminal = start(['go'], { columns: 40, rows: 10 });
    await terminal.sees('Line 29');
    const sizes = [
      [30, 10],
      [60, 10],
      [60, 20],
      [100, 40],
      [40, 10],
      [200, 40],
      [30, 10],
      [120, 12],
      [24, 30],
      [40, 10],
    ] as const;
    for (const [index, [columns, rows]] of sizes.entries()) {
      terminal.resize(columns, rows);
      terminal.type('x');
      await terminal.sees(new RegExp(`> x{${index + 1}}$`));
    }
    gate.open();
    await terminal.sees('Line 59');
    await terminal.sees(/% of\s+the\s+window/);
    for (const index of lines.keys())
      expect(terminal.text.match(new RegExp(`Line ${index} of`, 'g')), `line ${index}`).toHaveLength(1);
  });
});

describe('a permission question', () => {
  it('is answered with the arrow keys, and becomes one line', async () => {
    const { folder, start } = await scene([[touch('a.txt', 't1')], [touch('b.txt', 't2')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees('❯ 1  yes');
    await terminal.sees(/\nallow\?$/);
    terminal.type(DOWN);
    await terminal.sees("❯ 2  yes, and don't ask again: Bash(touch *)");
    terminal.type(ENTER);
    await terminal.sees('❯ p  this project');
    await terminal.sees(/\nallow where\?$/);
    terminal.type(DOWN);
    await terminal.sees('❯ s  this session');
    terminal.type(ENTER);
    await terminal.sees(
      /\(allow where\? Bash touch a\.txt: yes, and from now on Bash\(touch \*\) in\s+this session\)/,
    );
    await terminal.sees('● Bash touch b.txt');
    await terminal.sees('Done.');
    await terminal.sees(PROMPT);
    expect(terminal.text).not.toContain('❯');
    expect(existsSync(path.join(folder, 'b.txt'))).toBe(true);
  });

  it('is answered with one key, if nothing follows it', async () => {
    const { folder, start } = await scene([[touch('a.txt', 't1')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    terminal.type('1 thing first');
    await terminal.sees('allow? 1 thing first');
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
    terminal.type('\u0015');
    await terminal.sees(/\nallow\?$/);
    terminal.type('1');
    await terminal.sees('(allow? Bash touch a.txt: yes)');
    await terminal.sees('Done.');
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(true);
  });

  it('marks the part that needs an answer, and stores a rule that the user has edited', async () => {
    const command = 'ls && touch a.txt';
    const { folder, start } = await scene([[call('Bash', { command }, 't1')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    expect(terminal.raw).toContain('| ls && \u001b[31mtouch a.txt\u001b[39m');
    terminal.type(`2e${ENTER}`);
    await terminal.sees(/\nrule> Bash\(touch \*\)$/);
    terminal.type(`\u007f\u007f.txt)${ENTER}`);
    await terminal.sees(/Bash\(touch \.txt\) in\n❯ p +this project/);
    await terminal.sees(/\nallow where\?$/);
    terminal.type(ENTER);
    await terminal.sees('Done.');
    const stored = readFileSync(path.join(folder, '.claude', 'settings.local.json'), 'utf8');
    expect(stored).toContain('Bash(touch .txt)');
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(true);
  });

  it('shows the change again in the transcript after it was allowed', async () => {
    const { start } = await scene([
      [call('Write', { file_path: 'n.txt', content: 'first\nsecond\n' }, 'w1')],
      [say('Written.')],
    ]);
    const terminal = start(['go']);
    await terminal.sees(/\nallow\?$/);
    terminal.type(ENTER);
    await terminal.sees(/● Write n\.txt\n {2}✓ created\n {2}\| \+ first\n {2}\| \+ second/);
    await terminal.sees('Written.');
  });
});

describe('the input line', () => {
  it('opens a menu for / and for @, folds a long paste, and Esc Esc lists earlier prompts', async () => {
    const { folder, sent, start } = await scene([[say('One.')], [say('Two.')]]);
    writeFileSync(path.join(folder, 'a file.txt'), 'text');
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type('/sta');
    await terminal.sees(/❯ \/status {2,}session, model, mode, folder\n> \/sta$/);
    terminal.type(ENTER);
    await terminal.sees(/mode +default/);
    await terminal.sees(PROMPT);
    terminal.type('see @afile');
    await terminal.sees('❯ a file.txt');
    terminal.type(`\t\u001b[200~${'pasted\r'.repeat(20)}\u001b[201~`);
    await terminal.sees(/> see @"a file\.txt" \[Pasted text #1 \+21 lines\]$/);
    terminal.type(ENTER);
    await terminal.sees('> see @"a file.txt" [Pasted text #1 +21 lines]');
    await terminal.sees('One.');
    expect(sent(1)).toContain('pasted\\npasted\\n');
    await terminal.sees(PROMPT);
    terminal.type(ESC);
    terminal.type(ESC);
    await terminal.sees('❯ 1  see @"a file.txt" pasted pasted');
    await terminal.sees(/\nrewind>$/);
  });
});

it('has Vim keys if the settings ask for them, and shows the normal mode', async () => {
  const { start, folder, sent } = await scene([[say('Done.')]]);
  mkdirSync(path.join(folder, 'config'), { recursive: true });
  writeFileSync(path.join(folder, 'config', 'settings.json'), '{ "editorMode": "vim" }');
  const terminal = start();
  await terminal.sees(PROMPT);
  terminal.type('count the pears');
  await terminal.shows(/\n> count the pears$/);
  terminal.type(ESC);
  await terminal.shows(/\n── NORMAL · claude-sonnet-4-5/);
  terminal.type('cbapple');
  await terminal.shows(/\n── claude-sonnet-4-5 [^\n]*\n> count the apples$/);
  terminal.type(ENTER);
  await terminal.shows('Done.');
  expect(sent(1)).toContain('count the apples');
});

describe('a picker', () => {
  it('finds a model by a few letters, and a theme, which is stored and applies at once', async () => {
    const { folder, start } = await scene([[say('One.')], [say('Uses `code`.')]]);
    const terminal = start(['hello']);
    await terminal.sees('One.');
    await terminal.sees(PROMPT);
    terminal.type(`/model ${ENTER}`);
    await terminal.shows(/❯ 1 +opus +claude-opus[^]*\nmodel>$/);
    terminal.type('son45');
    await terminal.shows(/Which one now\?\n❯ \d+ +anthropic\/claude-sonnet-4-5 .*\nmodel> son45$/);
    terminal.type(ENTER);
    await terminal.sees('The model is claude-sonnet-4-5 from the next prompt on.');
    await terminal.sees(PROMPT);
    terminal.type(`/theme ${ENTER}`);
    await terminal.shows(/\ntheme>$/);
    terminal.type(`light${ENTER}`);
    await terminal.sees('The theme is light.');
    await terminal.sees(PROMPT);
    terminal.type(`more${ENTER}`);
    await terminal.sees('Uses code.');
    expect(terminal.lookOf('code.')).toMatchObject({ color: 25 });
    expect(readFileSync(path.join(folder, 'config', 'settings.json'), 'utf8')).toContain('"theme": "light"');
  });

  it('finds a session by its words, and lists runs, other agents and other folders apart', async () => {
    const { folder, start } = await scene([[say('One.')], [say('Two.')], [say('Three.')]]);
    const env = { HOME: folder, HEDDLE_CONFIG_DIR: '' };
    const other = path.join(folder, '.claude', 'projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(other, { recursive: true });
    const id = '3f1c9a52-0000-4000-8000-000000000001';
    const line = {
      parentUuid: null,
      uuid: id,
      sessionId: id,
      cwd: folder,
      timestamp: '2026-01-01T00:00:00Z',
    };
    const message = { role: 'user', content: 'paint the fence' };
    writeFileSync(path.join(other, `${id}.jsonl`), `${JSON.stringify({ type: 'user', ...line, message })}\n`);
    const conversation = start(['count the apples'], { env });
    await conversation.sees('One.');
    await conversation.sees(PROMPT);
    conversation.type('\u0004');
    await conversation.ended;
    await start(['-p', 'weigh the pears'], { env }).ended;
    const terminal = start(['--resume'], { env });
    await terminal.shows(
      /\n {2}Conversations\n❯ 1 +count the apples .*\n {2}Runs of heddle -p and of hosts\n {2}2 +weigh the pears .*\n {2}Sessions of other agents\n {2}3 +paint the fence .*\n {2}Other folders\n {2}0 +show[^]*\nsession>$/,
    );
    terminal.type(`0${ENTER}`);
    await terminal.shows(/❯ 1 +count the apples .* · heddle-home-\w+\n[^]*\nsession>$/);
    terminal.type('apple');
    await terminal.shows(/\n❯ 1 +count the apples .*\n {2}· count the apples\n[^]*session> apple$/);
    terminal.type(ENTER);
    await terminal.sees('> count the apples');
    await terminal.sees(PROMPT);
  });
});

describe('a line that starts with #', () => {
  it('is added to an instruction file, and /loop shows the decisions of the last turn', async () => {
    const { folder, api, start } = await scene([[say('One.')]]);
    writeFileSync(path.join(folder, 'AGENTS.md'), 'Be kind.');
    const terminal = start(['hello']);
    await terminal.sees('One.');
    await terminal.sees(PROMPT);
    terminal.type(`# use tabs${ENTER}`);
    await terminal.sees(/\nremember>$/);
    terminal.type(ENTER);
    await terminal.sees('Added to AGENTS.md.');
    expect(readFileSync(path.join(folder, 'AGENTS.md'), 'utf8')).toBe('Be kind.\n- use tabs\n');
    await terminal.sees(PROMPT);
    terminal.type(`/loop ${ENTER}`);
    await terminal.sees(/Prompt 1: "hello"[^]*→ stop completed/);
    expect(api.requests.filter(({ path: place }) => place === '/v1/messages')).toHaveLength(1);
  });
});

describe('the window', () => {
  it('has a title that shows the state, and the status line of the user', async () => {
    const gate = createTestGate();
    const { folder, start } = await scene([[say('One.', gate)]]);
    mkdirSync(path.join(folder, 'config'));
    const statusLine = {
      type: 'command',
      command: `node -p 'JSON.parse(fs.readFileSync(0)).model.id + "!"'`,
    };
    writeFileSync(path.join(folder, 'config', 'settings.json'), JSON.stringify({ statusLine }));
    const terminal = start(['go']);
    await terminal.sees('Answering');
    const name = path.basename(folder);
    expect(terminal.raw).toContain(`\u001b]2;* heddle ${name}\u001b\\`);
    gate.open();
    await terminal.shows(/── claude-sonnet-4-5! ─+\n>$/);
    terminal.type('\u0004');
    await terminal.ended;
    expect(terminal.raw.lastIndexOf('\u001b[23;2t')).toBeGreaterThan(terminal.raw.indexOf('\u001b[22;2t'));
  });

  it('follows a light background, and names Shift-Enter if the terminal can', async () => {
    const { start } = await scene([[say('See `this`.')]]);
    const terminal = start();
    await terminal.sees(PROMPT);
    expect(terminal.raw).toContain('\u001b]11;?\u001b\\');
    terminal.type('\u001b]11;rgb:fafa/fafa/fafa\u001b\\\u001b[?0u');
    terminal.type('a\u001b[13;2ub');
    await terminal.sees(/> a\n {2}b$/);
    expect(terminal.raw).toContain('\u001b[>1u');
    terminal.type(ENTER);
    await terminal.sees('See this.');
    expect(terminal.lookOf('this.')).toMatchObject({ color: 25 });
    await terminal.sees(PROMPT);
    terminal.type('\u001b[100;5u');
    await terminal.ended;
    expect(terminal.raw).toContain('\u001b[<u\u001b[?2004l');
  });
});

describe('the keys of the user', () => {
  it('come from a file that is read again, and an image comes from the clipboard', async () => {
    const { folder, sent, start } = await scene([[say('Seen.')]]);
    const config = path.join(folder, 'config');
    // Programs of the project do not count.
    const bin = mkdtempSync(path.join(os.tmpdir(), 'heddle-bin-'));
    mkdirSync(config);
    const file = path.join(config, 'keybindings.json');
    const bind = (bindings: object): void =>
      writeFileSync(file, JSON.stringify({ bindings: [{ context: 'Chat', bindings }] }, null, 2));
    bind({ 'ctrl+t': 'command:status', 'ctrl+q': 'chat:none' });
    const image = path.join(folder, 'one.png');
    writeFileSync(image, Buffer.from(ONE_PIXEL, 'base64'));
    writeFileSync(path.join(bin, 'xclip'), `#!/bin/sh\ntest -f ${image} && cat ${image}\n`, { mode: 0o755 });
    const terminal = start([], {
      env: { DISPLAY: ':9', WAYLAND_DISPLAY: '', PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
    await terminal.sees('keybindings.json, line 7: The action "chat:none" does not exist.');
    await terminal.sees(PROMPT);
    terminal.type('look at \u0014');
    await terminal.sees(/mode +default[^]*> look at$/);
    bind({ 'ctrl+t': 'edit:deleteToStart', 'ctrl+b ctrl+v': 'chat:imagePaste' });
    await terminal.sees(/read again\)[^]*> look at$/);
    terminal.type('x\u0014see \u0002\u0016');
    await terminal.sees(/> see \[Image #1\]$/);
    rmSync(image);
    terminal.type('\u0016');
    await terminal.sees('The clipboard contains no image.');
    terminal.type(ENTER);
    await terminal.sees('Seen.');
    expect(sent(1)).toContain(`"media_type":"image/png","data":"${ONE_PIXEL}"`);
    expect(sent(1)).toMatch(/see @\\"[^"]*image-1\.png/);
  });
});

/** A picture of one pixel. */
const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
