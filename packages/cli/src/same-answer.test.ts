/** The same prompt on every surface: text, json, stream-json and the terminal show the same answer after any recovery. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { breakOff, cut, fail, hang, say, type ScriptStep, unfinished } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from './conversation/test/terminal.ts';
import { homeFor } from './test/home.ts';
import { install, type Installed, linesOf, type OutputLine } from './test/program.ts';

interface Answer {
  readonly after: string;
  readonly script: readonly ScriptStep[];
  readonly text: string;
  /** A text that must not be shown. */
  readonly retracted?: string;
  /** A fallback model plays the rest of the script. */
  readonly fallback?: true;
  readonly code: number;
  /** The run is interrupted when this text is shown. */
  readonly interruptAt?: string;
}

const ANSWERS: readonly Answer[] = [
  { after: 'nothing at all', script: [say('The answer is 42.')], text: 'The answer is 42.', code: 0 },
  {
    after: 'a cut, a raised cap and a resumption',
    script: [
      [say('Retracted words.'), cut()],
      [unfinished(say('One two three '), 1), cut()],
      say('four five.'),
    ],
    text: 'One two three four five.',
    retracted: 'Retracted words',
    code: 0,
  },
  {
    after: 'a broken connection',
    script: [[say('Retracted words.'), breakOff()], say('Found words.')],
    text: 'Found words.',
    retracted: 'Retracted words',
    code: 0,
  },
  {
    after: 'a fallback to another model',
    script: [[say('Retracted words.'), fail('not_found')], say('Words of the other model.')],
    fallback: true,
    text: 'Words of the other model.',
    retracted: 'Retracted words',
    code: 0,
  },
  {
    after: 'cuts until the end',
    script: [say('Nothing.'), say('One '), say('two '), say('three '), say('four ')].map((part) => [
      unfinished(part, 1),
      cut(),
    ]),
    text: 'One two three four',
    retracted: 'Nothing.',
    code: 1,
  },
  {
    after: 'an interrupt',
    script: [[say('First. '), unfinished(say('Second half and more'), 1), hang()]],
    text: 'First. Second half and more',
    interruptAt: 'Second half',
    code: 130,
  },
];

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe.each(ANSWERS)('an answer after $after', (answer) => {
  it.each(['text', 'json', 'stream-json'] as const)('is complete as %s', async (format) => {
    const home = homeFor(installed.program);
    const partial = format === 'stream-json' ? ['--include-partial-messages', '--verbose'] : [];
    const { code, stdout } = await home.run(
      ['-p', 'go', ...modelsOf(answer, home), '--output-format', format, ...partial],
      answer.interruptAt === undefined
        ? {}
        : { onStart: (child) => void whenStored(home.folder, 'First.').then(() => child.kill('SIGINT')) },
    );
    expect(code).toBe(answer.code);
    expect(wordsOf(textIn(stdout, format))).toBe(wordsOf(answer.text));
    if (format === 'stream-json') expect(wordsOf(standingText(linesOf(stdout)))).toBe(wordsOf(answer.text));
  });

  it('is the same in the terminal, and the screen does not show retracted text', async () => {
    const home = homeFor(installed.program);
    const terminal = openTerminal(installed.program, [...modelsOf(answer, home), 'go'], { cwd: home.folder });
    if (answer.interruptAt !== undefined) {
      await terminal.shows(answer.interruptAt);
      terminal.type('\u0003');
    }
    await terminal.shows(/% of the window/);
    const shown = terminal.text.replaceAll(/^ {2}\(.*\)$/gm, '');
    expect(wordsOf(shown)).toContain(wordsOf(answer.text));
    if (answer.retracted !== undefined) expect(terminal.text).not.toContain(answer.retracted);
    terminal.type('\u0004');
    await terminal.ended;
  });
});

function modelsOf({ script, fallback }: Answer, home: ReturnType<typeof homeFor>): string[] {
  const model = home.script(script);
  return ['--model', model, ...(fallback ? ['--fallback-model', `${model}.other`] : [])];
}

function textIn(stdout: string, format: 'text' | 'json' | 'stream-json'): string {
  return format === 'text' ? stdout : String(linesOf(stdout).at(-1)?.['result']);
}

/** The text that a host would show: all assistant lines that were not superseded, without errors. */
function standingText(lines: readonly OutputLine[]): string {
  const answers = lines.filter(({ type, error }) => type === 'assistant' && error === undefined);
  const gone = new Set(
    answers.flatMap(({ supersedes }): unknown[] => (Array.isArray(supersedes) ? supersedes : [])),
  );
  return answers
    .filter(({ uuid }) => !gone.has(uuid))
    .map(({ message }) => /"text":"(?<text>[^"]*)"/.exec(JSON.stringify(message))?.groups?.['text'] ?? '')
    .join('');
}

/** Waits until a session file contains this text. */
async function whenStored(folder: string, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = setInterval(() => {
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const logs = files.filter((file) => file.endsWith('.jsonl'));
    if (!logs.some((file) => readFileSync(path.join(folder, file), 'utf8').includes(text))) return;
    clearInterval(look);
    resolve();
  }, 20);
  await promise;
}

/** Removes line breaks, because the screen wraps lines. */
function wordsOf(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
