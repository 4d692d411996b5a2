/** Deny rules for files whose pattern contains `..` behind other names. */
import { describe, expect, it } from 'vitest';
import { shell } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const world = { files: [`${ROOT}/.env`, `${ROOT}/docs/a`, '/repo/other/key', '/k'] };

describe('a deny rule with `..`', () => {
  it.each([
    ['Read(./docs/../.env)', 'cat .env'],
    ['Read(./a/b/../../.env)', 'cat .env'],
    ['Read(docs/../.env)', 'cat .env'],
    ['Read(./none/../.env)', 'head -1 ./docs/../.env'],
    ['Read(./docs/./../.env)', 'cat .env'],
    ['Read(./docs/../../other/**)', 'cat ../other/key'],
    ['Read(./../other/key)', 'cat ../other/key'],
    ['Read(//repo/x/../other/**)', 'cat /repo/other/key'],
    ['Read(//../k)', 'cat /k'],
    ['Edit(./docs/../docs/*)', 'echo x > docs/a'],
    ['Read(./docs/..)', 'cat .env'],
    ['Read(./docs//../.env)', 'cat .env'],
    ['Read(.//docs/.././.env)', 'cat .env'],
  ])('matches the place that it means: %s and %s', (rule, command) => {
    expect(shell(command, { world, rules: { deny: [rule], allow: ['Bash'] } }).decision).toBe('deny');
  });

  it('does not count as a place in an allow rule', () => {
    const rules = { allow: ['Edit(./docs/../src/**)'] };
    expect(shell('echo x > src/y', { world, rules }).decision).toBe('ask');
  });
});
