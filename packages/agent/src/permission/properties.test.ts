/** Tests properties that must hold for all scripts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shell } from './test/ask.ts';
import { coveredCommand, respelled, RULES, script, uncoveredCommand } from './test/scripts.ts';

const covered = fc.array(coveredCommand, { minLength: 1, maxLength: 30 });
const at = (commands: readonly string[]) => (slot: number) => commands[slot % commands.length] ?? 'ok';

/** Shells differ about what is a process there: it is always asked about. */
const PROCESS_IN_EXPANSION = /\$\{[^}]*[<>]\(/;

/** Backquotes can begin or end a command. A bracket after a keyword beside one is always asked about. */
const BRACKET_IN_BACKQUOTES = /`(time|!|if|while|until|for|coproc)\s*\(/;

describe('authorize', () => {
  it('allows a script whose every part is allowed', () => {
    fc.assert(
      fc.property(script, covered, (built, commands) => {
        const text = built.render(at(commands));
        fc.pre(!PROCESS_IN_EXPANSION.test(text) && !BRACKET_IN_BACKQUOTES.test(text));
        const { decision, reason } = shell(text, { rules: RULES });
        expect({ text, decision, reason }).toMatchObject({ decision: 'allow' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('asks if any part is not covered, at any position', () => {
    fc.assert(
      fc.property(script, covered, uncoveredCommand, fc.nat(), (built, commands, uncovered, place) => {
        const hole = place % built.slots;
        const text = built.render((slot) => (slot === hole ? uncovered : at(commands)(slot)));
        expect({ text, ...shell(text, { rules: RULES }) }).toMatchObject({ decision: 'ask' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a denied part at any position, in every mode', () => {
    const mode = fc.constantFrom('default', 'acceptEdits', 'dontAsk', 'bypassPermissions', 'plan');
    fc.assert(
      fc.property(script, covered, fc.nat(), mode, (built, commands, place, chosen) => {
        const hole = place % built.slots;
        const text = built.render((slot) => (slot === hole ? 'bad x' : at(commands)(slot)));
        const rules = { allow: ['Bash'], ask: ['Bash(ok *)'], deny: ['Bash(bad *)'] };
        const verdict = shell(text, { rules, mode: chosen, hook: 'allow' });
        expect({ text, ...verdict }).toMatchObject({ decision: 'deny' });
      }),
      { numRuns: 500 },
    );
  });

  it('ignores differences in quotes and spaces', () => {
    const word = fc.stringMatching(/^[a-z0-9./:=-]{1,8}$/).filter((text) => !text.startsWith('-'));
    const choices = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 4 }),
        choices,
        fc.constantFrom('ok', 'okb', 'bad'),
        (words, how, name) => {
          const plain = [name, ...words].join(' ');
          const spelled = respelled([name, ...words], how);
          const rules = { allow: ['Bash(ok *)', 'Bash(okb a)'] };
          const { decision } = shell(plain, { rules });
          expect({ spelled, ...shell(spelled, { rules }) }).toMatchObject({ decision });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('returns the same result for the same request', () => {
    fc.assert(
      fc.property(script, covered, (built, commands) => {
        const text = built.render(at(commands));
        // `examined` contains functions, which are equal only to themselves. All others are plain data.
        const { examined: _one, ...first } = shell(text, { rules: RULES });
        const { examined: _other, ...second } = shell(text, { rules: RULES });
        expect(first).toEqual(second);
      }),
      { numRuns: 100 },
    );
  });
});
