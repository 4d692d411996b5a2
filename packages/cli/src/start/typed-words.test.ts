import { expect, it } from 'vitest';
import { typedWords } from './session-agent.ts';

const LOG = Array.from({ length: 30 }, (_, line) => `line ${line} of a log with @.env and @srv:x://y`).join(
  '\n',
);
const typed = (prompt: string): unknown =>
  typedWords(prompt, { prompt: undefined, pastedTexts: () => [LOG] });

it('leaves out a paste', () => {
  expect(typed(`see @a.ts\n${LOG}\nand @b.ts`)).toBe('see @a.ts\n\n\nand @b.ts');
});

it.each([
  ['a letter is changed', LOG.replace('line 3', 'Line 3')],
  ['a line is removed', LOG.split('\n').toSpliced(2, 1).join('\n')],
  ['a line is added', LOG.replace('\n', '\nmore\n')],
  ['its start is left out', LOG.slice(400)],
  ['its end is left out', LOG.slice(0, 100)],
])('leaves out the mentions of a paste of which %s', (_, text) => {
  const words = typed(`see @a.ts @.env2\n${text}`);
  expect(words).toContain('see @a.ts @.env2');
  expect(words).not.toContain('@.env ');
  expect(words).not.toContain('@srv');
});

it('keeps mentions in a prompt that contains no part of a paste', () => {
  expect(typed('look at @.env and @srv:x://y')).toBe('look at @.env and @srv:x://y');
});

it('knows a part of a paste without blanks by a long word', () => {
  const token = 'x'.repeat(3_000);
  const words = typedWords(`${token.slice(1)} @.env`, {
    prompt: undefined,
    pastedTexts: () => [`${token.slice(1)} y @.env`],
  });
  expect(words).not.toContain('@.env');
});
