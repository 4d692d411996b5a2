import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

const JSON_BOTH_WAYS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

describe('a flag of a client library', () => {
  it('that asks nothing of us is taken in silence', () => {
    const flags = ['--include-hook-events', '--await-initialize'];
    expect(readArguments([...JSON_BOTH_WAYS, ...flags])).toMatchObject({ command: { notes: [] } });
  });

  it.each([[['--thinking-display=omitted'], '--thinking-display: thinking is shown as the API sends it']])(
    'that asks for what there is not is told: %j',
    (flags, note) => {
      expect(readArguments(['-p', 'go', ...flags])).toMatchObject({
        command: { prompt: 'go', notes: [note] },
      });
    },
  );

  it.each(['--restricted', '--safe-mode'])(
    'without which a run would be less careful is refused: %s',
    (flag) => {
      const [name = ''] = flag.split('=');
      const message = expect.stringContaining(`${name}: `);
      expect(readArguments([...JSON_BOTH_WAYS, flag])).toMatchObject({ ok: false, message });
    },
  );

  it('that a later release brought is passed over with a word; a person who mistyped is told', () => {
    expect(readArguments([...JSON_BOTH_WAYS, '--brand-new', 'x', '--model=m'])).toMatchObject({
      command: { model: 'm', notes: [expect.stringContaining('--brand-new')] },
    });
    expect(readArguments(['-p', 'go', '--brand-new'])).toMatchObject({ ok: false });
  });
});

it.each([
  [['--permission-prompt-tool=stdio'], true],
  [['--permission-prompt-tool=stdio', '--permission-prompts=host'], true],
  [['--permission-prompt-tool=stdio', '--permission-prompts=none'], false],
  [['--permission-prompts=host'], false],
  [['--permission-prompt-tool=mcp__gate__approve'], false],
])('asks the host with %j: %s', (flags, asksHost) => {
  expect(readArguments([...JSON_BOTH_WAYS, ...flags])).toMatchObject({ command: { asksHost } });
});

it.each([
  ['1e-05', 0.000_01],
  ['0.5', 0.5],
])('reads the amount %s, as clients of other languages write it', (text, amount) => {
  expect(readArguments(['-p', 'go', '--max-budget-usd', text])).toMatchObject({
    command: { maxBudgetUsd: amount },
  });
});

it.each(['1e999', '0e5', '-1', 'e5'])('rejects the amount %s', (text) => {
  expect(readArguments(['-p', 'go', `--max-budget-usd=${text}`])).toMatchObject({ ok: false });
});
