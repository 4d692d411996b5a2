/** Random keys, pastes, resizes and events: no crash, no row lost or doubled, and the terminal is restored. */
import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';
import type { LoopEvent } from '@heddle/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { choiceDialog } from '../terminal/dialog.ts';
import { Recall } from '../terminal/input/prompt-history.ts';
import { styleFor } from '../terminal/style.ts';
import { RichScreen } from './rich-screen.ts';

const SEQUENCES = process.env['HEDDLE_PROVE'] === '1' ? 100_000 : 150;

/** A terminal in this process: the screen writes to an emulator, and the test types. */
class FakeTerminal {
  readonly emulator = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 5_000, allowProposedApi: true });
  readonly input = Object.assign(new EventEmitter(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => (this.input.isRaw = isRaw),
    resume: () => undefined,
    pause: () => undefined,
  });
  readonly output = Object.assign(new EventEmitter(), {
    isTTY: true,
    write: (bytes: string) => this.#write(bytes),
    getWindowSize: () => [this.emulator.cols, this.emulator.rows],
  });
  bytes = '';

  constructor() {
    // The emulator reports the position of its cursor.
    this.emulator.onData((reply) => this.type(reply));
  }

  type(text: string): void {
    this.input.emit('data', Buffer.from(text));
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.output.emit('resize');
  }

  get text(): string {
    const { active } = this.emulator.buffer;
    let text = '';
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      text += (line?.isWrapped ? '' : '\n') + (line?.translateToString(true) ?? '');
    }
    return text;
  }

  /** The synchronous write is not part of the public type. */
  #write(bytes: string): boolean {
    this.bytes += bytes;
    const core: unknown = Reflect.get(this.emulator, '_core');
    const write: unknown = core instanceof Object ? Reflect.get(core, 'writeSync') : undefined;
    if (typeof write === 'function') write.call(core, bytes.replaceAll(/\r?\n/g, '\r\n'));
    return true;
  }
}

const key = fc.constantFrom(
  'a',
  'b c',
  '漢',
  ' ',
  '\r',
  '\t',
  '\u007f',
  '\u001b',
  '/',
  '/st',
  '@',
  '!',
  '1',
  '4 why',
  '\u001b[A',
  '\u001b[B',
  '\u001b[C',

  '\u001b[D',
  '\u001b[Z',
  '\u0001',
  '\u0003',
  '\u0005',
  '\u000b',
  '\u000c',
  '\u0012',
  '\u0015',
  '\u0017',
  '\u0019',
  '\u001f',
  '\u001by',

  '\u001b[H',
  '\u001b[F',
  '\u001b[13;2u',
  '\u001b[<0;1;1M',
  '\u001b]11;x\u0007',
  '\u000f',
  '\u0010',
  '\u000e',
  '\u0007',
  '\u001a',
);
/** Events that the region shows: calls with output, steps, a retry, a compaction, thinking. */
const EVENTS: readonly LoopEvent[] = [
  { type: 'stream_request_start' },
  {
    type: 'tool_intent',
    toolUseId: 'b1',
    tool: 'Bash',
    input: { command: 'make all' },
    effect: 'writing',
  },
  {
    type: 'tool_intent',
    toolUseId: 't1',
    tool: 'TodoWrite',
    input: {
      todos: Array.from({ length: 9 }, (_, index) => ({
        content: `Step ${index}`,
        status: index < 3 ? 'completed' : 'pending',
        activeForm: `Doing ${index}`,
      })),
    },
    effect: 'writing',
  },
  { type: 'progress', toolUseId: 'b1', data: { output: `${'wide 漢字 '.repeat(30)}\n\u001b[31mred\n` } },
  { type: 'compacting' },
  {
    type: 'stream_event',
    event: { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  },
  {
    type: 'message',
    message: {
      type: 'user',
      uuid: 'u1',
      content: [{ type: 'tool_result', tool_use_id: 'b1', content: 'x' }],
    },
  },
] as unknown as readonly LoopEvent[];

const step = fc.oneof(
  { weight: 6, arbitrary: key.map((text) => ({ kind: 'key', text }) as const) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('short', 'x\ry', 'line\r'.repeat(30))
      .map((text) => ({ kind: 'paste', text }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      columns: fc.integer({ min: 24, max: 120 }),
      rows: fc.integer({ min: 10, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 6 }).map((count) => ({ kind: 'print', count }) as const),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('\n', '\n\n', ' **b** ', ' `c', '` ', '\n- ', '\n```ts\n', '\n| a |\n|---|\n| ', '\n|\n')
      .map((after) => ({ kind: 'stream', after }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('end', 'mark', 'retract', 'ask', 'busy', 'dialog', 'long dialog', 'close dialog', 'queue')
      .map((kind) => ({ kind }) as const),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 0, max: EVENTS.length - 1 })
      .map((index) => ({ kind: 'event', index }) as const),
  },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_200 }).map((ms) => ({ kind: 'wait', ms }) as const) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface OpenedScreen {
  readonly terminal: FakeTerminal;
  readonly screen: RichScreen;
  /** The lines that the screen has delivered. */
  readonly lines: readonly string[];
}

function openScreen(): OpenedScreen {
  const terminal = new FakeTerminal();
  const lines: string[] = [];
  const style = styleFor({ plain: false, env: {} });
  const screen = new RichScreen(
    terminal.input as unknown as NodeJS.ReadStream,
    terminal.output as unknown as NodeJS.WriteStream,
    {
      recall: new Recall(['earlier', 'two\nlines']),
      style,
      cwd: '/nowhere',
      env: { TERM_PROGRAM: 'vscode' },
      commands: [{ name: 'status', help: 'facts' }],
      complete: () => ({ kind: 'nothing' }),
      editOutside: (text) => Promise.resolve({ ok: true, text: `${text} edited` }),
    },
  );
  const ignore = (): undefined => undefined;
  screen.listen({
    line: (line) => void lines.push(line),
    touched: ignore,
    interrupt: ignore,
    escape: ignore,
    nextMode: ignore,
    takeQueued: ignore,
    end: ignore,
    gone: ignore,
  });
  screen.ask('> ');
  return { terminal, screen, lines };
}

const dialog = choiceDialog(
  ['May it?', '  | text'],
  [{ key: '1', text: 'yes', reply: () => ({ kind: 'answer', answer: 1 }) }],
);

/** It fits only into a large window. */
const longDialog = { ...dialog, lines: ['May it?', `  | ${'text '.repeat(300)}`, '  The reason.'] };

interface Played {
  readonly terminal: FakeTerminal;
  readonly expected: readonly string[];
}

async function play(steps: readonly Step[]): Promise<Played> {
  const { terminal, screen } = openScreen();
  let expected: string[] = [];
  let sinceMark: number | undefined;
  let count = 0;
  const next = (kind: 'p' | 's'): string => {
    const token = `<${kind}${count++}>`;
    expected.push(token);
    return token;
  };
  for (const one of steps) {
    switch (one.kind) {
      case 'key':
        terminal.type(one.text);
        break;
      case 'paste':
        terminal.type(`\u001b[200~${one.text}\u001b[201~`);
        break;
      case 'resize':
        terminal.resize(one.columns, one.rows);
        break;
      case 'print':
        screen.print(Array.from({ length: one.count }, () => `${next('p')} printed`).join('\n'));
        sinceMark = undefined;
        break;
      case 'stream':
        screen.stream(`${next('s')} streamed${one.after}`);
        break;
      case 'end':
        screen.endStream();
        break;
      case 'mark':
        screen.markAnswer();
        sinceMark = expected.length;
        break;
      case 'retract':
        if (screen.retractAnswer() && sinceMark !== undefined) expected = expected.slice(0, sinceMark);
        break;
      case 'ask':
        screen.ask('> ');
        break;
      case 'busy':
        screen.busy('> ');
        break;
      case 'dialog':
        screen.showDialog(dialog, 1);
        screen.ask('allow? ');
        break;
      case 'long dialog':
        screen.showDialog(longDialog, 0);
        screen.ask('allow? ');
        break;
      case 'close dialog':
        screen.showDialog(undefined, 0);
        break;
      case 'queue':
        screen.showQueued(['queued']);
        break;
      case 'event': {
        const event = EVENTS[one.index];
        if (event) screen.observe(event);
        break;
      }
      case 'wait':
        await vi.advanceTimersByTimeAsync(one.ms);
        break;
    }
  }
  screen.close();
  return { terminal, expected };
}

describe('the rich screen', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    // Ctrl-Z would stop the process of the test. The shell resumes it at once.
    vi.spyOn(process, 'kill').mockImplementation(() => {
      process.emit('SIGCONT', 'SIGCONT');
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it(`survives ${SEQUENCES} random sequences: every row exactly once and in order, and the terminal restored`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { terminal, expected } = await play(steps);
        const shown: readonly string[] = terminal.text.match(/<[ps]\d+>/g) ?? [];
        // A note may be printed before the end of a table that is not complete. So each kind has its own order.
        for (const kind of ['<p', '<s'])
          expect(shown.filter((token) => token.startsWith(kind))).toEqual(
            expected.filter((token) => token.startsWith(kind)),
          );
        expect(terminal.input.isRaw).toBe(false);
        expect(terminal.bytes.endsWith('\u001b[?2004l')).toBe(true);
        expect(terminal.bytes).not.toMatch(/\[[23]J|\[\d*S|\[\d+;\d+r/);
      }),
      { numRuns: SEQUENCES },
    );
  });

  it.each([
    ['an arrow key', '\u001b[B'],
    ['an empty prompt', '\u0015'],
  ])('gives keys to a prompt with text, and to the question after %s', (_, key) => {
    const { terminal, screen, lines } = openScreen();
    screen.busy('> ');
    terminal.type('1');
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    for (let pressed = 0; pressed < 10; pressed++) {
      vi.advanceTimersByTime(pressed * 200);
      terminal.type('1');
    }
    vi.advanceTimersByTime(5_000);
    for (const enter of ['\r', '\r']) {
      terminal.type(enter);
      vi.advanceTimersByTime(1_000);
    }
    expect(terminal.text.trimEnd()).toMatch(/May it\?[^]*Press an arrow key to answer\.[^]*\n> 1{11}$/);
    expect(lines).toEqual([]);
    terminal.type(key);
    vi.advanceTimersByTime(400);
    expect(terminal.text.trimEnd()).toMatch(/\nallow\?$/);
    terminal.type('1');
    vi.advanceTimersByTime(400);
    terminal.type(' thing first');
    vi.advanceTimersByTime(2_000);
    expect(lines).toEqual([]);
    terminal.type('\u00151');
    vi.advanceTimersByTime(600);
    expect(lines).toEqual(['1']);
    screen.close();
  });

  it('takes an answer again that came too early', () => {
    const { terminal, screen, lines } = openScreen();
    screen.busy('> ');
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    terminal.type('1');
    vi.advanceTimersByTime(1_000);
    expect(lines).toEqual([]);
    terminal.type('1');
    vi.advanceTimersByTime(600);
    expect(lines).toEqual(['1']);
    screen.close();
  });

  it('keeps the text of the prompt while a question is answered with arrow keys', () => {
    const { terminal, screen, lines } = openScreen();
    screen.busy('> ');
    terminal.type('then run the tests');
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    vi.advanceTimersByTime(1_000);
    terminal.type('\u001b[B\r');
    expect(lines).toEqual(['1']);
    screen.showDialog(undefined, 0);
    vi.advanceTimersByTime(1_000);
    expect(terminal.text.trimEnd()).toMatch(/\n> then run the tests$/);
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    vi.advanceTimersByTime(1_000);
    terminal.type('\r');
    vi.advanceTimersByTime(1_000);
    expect(lines).toEqual(['1']);
    screen.close();
  });

  it('chooses nothing by Enter after a text was typed, until an arrow key is pressed', () => {
    const { terminal, screen, lines } = openScreen();
    screen.busy('> ');
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    vi.advanceTimersByTime(1_000);
    terminal.type('and then the tests\r');
    screen.showDialog({ ...dialog, hint: 'This is not an answer yet.' }, 0);
    terminal.type('\r');
    terminal.type('x\u007f\r');
    expect(lines).toEqual(['and then the tests', '', '']);
    terminal.type('\u001b[B\u001b[A\r');
    expect(lines.at(-1)).toBe('1');
    screen.close();
  });

  it('ignores an Enter that was typed before the question was visible', () => {
    const { terminal, screen, lines } = openScreen();
    screen.busy('> ');
    vi.advanceTimersByTime(5_000);
    screen.showDialog(dialog, 0);
    screen.ask('allow? ');
    terminal.type('\r');
    vi.advanceTimersByTime(1_000);
    expect(lines).toEqual([]);
    terminal.type('\r');
    expect(lines).toEqual(['1']);
    screen.close();
  });

  it('keeps the start of an answer once if the window shrinks below the height of the region', () => {
    const { terminal, screen } = openScreen();
    terminal.resize(120, 40);
    screen.busy('> ');
    screen.stream(`| name | value |\n|---|---|\n${'| one | two |\n'.repeat(12)}`);
    vi.advanceTimersByTime(100);
    terminal.resize(24, 10);
    screen.stream('\nThe end.\n');
    vi.advanceTimersByTime(2_000);
    screen.close();
    expect(terminal.text.match(/name/g)).toHaveLength(1);
    expect(terminal.text.match(/one/g)).toHaveLength(12);
    expect(terminal.text).toContain('The end.');
  });

  it('removes a retracted answer, also if the window shrinks before the next frame', async () => {
    // The first frame needs no pause then.
    vi.advanceTimersByTime(1_000);
    const { terminal, expected } = await play([
      { kind: 'mark' },
      { kind: 'stream', after: '\n' },
      { kind: 'wait', ms: 0 },
      { kind: 'resize', columns: 55, rows: 37 },
      { kind: 'event', index: 0 },
      { kind: 'long dialog' },
      { kind: 'paste', text: 'short' },
      { kind: 'retract' },
      { kind: 'resize', columns: 24, rows: 10 },
    ]);
    expect(expected).toEqual([]);
    expect(terminal.text).not.toContain('streamed');
  });

  it('rings once at the end of a turn of more than ten seconds, and never after a short one', () => {
    const { terminal, screen } = openScreen();
    const rings = (): number => terminal.bytes.split('\u0007').length - 1;
    screen.busy('> ');
    vi.advanceTimersByTime(5_000);
    screen.ask('> ');
    expect(rings()).toBe(0);
    screen.busy('> ');
    vi.advanceTimersByTime(12_000);
    screen.ask('> ');
    screen.ask('> ');
    expect(rings()).toBe(1);
    screen.close();
  });
});
