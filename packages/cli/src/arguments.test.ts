import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { splitRules } from './flags.ts';

describe('the command line', () => {
  it('reads a prompt and its flags, with values after a space or an equals sign', () => {
    expect(readArguments(['-p', 'hello', '--model', 'rehearsal', '--max-turns=3'])).toMatchObject({
      ok: true,
      command: { name: 'print', prompt: 'hello', model: 'rehearsal', maxTurns: 3, outputFormat: 'text' },
    });
  });

  it('takes everything behind -- as words', () => {
    expect(readArguments(['-p', '--', '--not-a-flag'])).toMatchObject({
      command: { prompt: '--not-a-flag' },
    });
  });

  it.each([
    [['--resume'], { kind: 'pick' }, undefined],
    [['-r', 'fix the bug'], { kind: 'pick' }, 'fix the bug'],
    [['-r', '3f2a', 'fix the bug'], { kind: 'resume', id: '3f2a' }, 'fix the bug'],
    [['--resume', '--plain'], { kind: 'pick' }, undefined],
    [['--resume=the good one'], { kind: 'resume', id: 'the good one' }, undefined],
    [['fix the bug', '-c'], { kind: 'continue' }, 'fix the bug'],
  ])('starts a conversation with %j', (argv, from, prompt) => {
    expect(readArguments(argv)).toMatchObject({ command: { name: 'chat', prompt, session: { from } } });
  });

  it.each([
    [['model the data flow'], 'model the data flow'],
    [['model', 'the', 'data'], 'model the data'],
    [['--', 'sesions'], 'sesions'],
    [['hello'], 'hello'],
  ])('takes %j for a prompt', (argv, prompt) => {
    expect(readArguments(argv)).toMatchObject({ command: { name: 'chat', prompt } });
  });

  it('takes help for a word, too, and shows that of a command', () => {
    expect(readArguments(['help'])).toMatchObject({ command: { name: 'help' } });
    const own = { name: 'own', command: 'sessions', argv: ['--help'] };
    expect(readArguments(['help', 'sessions'])).toMatchObject({ command: own });
  });

  it.each([
    [['-p', 'x', '--resume'], '--resume needs a session: there is nobody to choose one'],
    [['--modle', 'x'], 'unknown flag --modle; did you mean --model?'],
    [
      ['sesions'],
      'there is no command sesions; did you mean heddle sessions? As a prompt: heddle -- "sesions"',
    ],
    [['confg', 'list'], /did you mean heddle config\?/],
    [['--xyzzy-plugh'], 'unknown flag --xyzzy-plugh; see heddle --help'],
    [['-p', '--model'], '--model needs a value'],
    [['-p', '--max-turns', 'many'], '--max-turns takes a whole number, not many'],
    [['-p', '--output-format', 'xml'], '--output-format takes one of text, json, stream-json, not xml'],
    [['-p', '--permission-mode', 'yolo'], /takes one of default/],
  ])('refuses %j with a reason', (argv, message) => {
    const read = readArguments(argv);
    expect(read.ok ? '' : read.message).toMatch(message);
  });

  it('keeps a rule with spaces in its parentheses whole', () => {
    expect(splitRules('Bash(git log *),Read Write')).toEqual(['Bash(git log *)', 'Read', 'Write']);
  });
});
