import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { splitRules } from './list-flags.ts';

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
    [['--', 'login'], 'login'],
    [['update', 'the', 'dependencies'], 'update the dependencies'],
    [['init the project'], 'init the project'],
  ])('takes %j for a prompt', (argv, prompt) => {
    expect(readArguments(argv)).toMatchObject({ command: { name: 'chat', prompt } });
  });

  it.each([
    [['-p', '--resume', 'my nice title', 'And now?'], 'And now?'],
    [['And now?', '--resume', 'my nice title', '-p'], 'And now?'],
    [['-p', '--resume', 'my nice title'], undefined],
  ])('takes the word after --resume as a session if the user cannot choose one: %j', (argv, prompt) => {
    expect(readArguments(argv)).toMatchObject({
      command: { name: 'print', prompt, session: { from: { kind: 'resume', id: 'my nice title' } } },
    });
  });

  it('takes version and help for words, too, where they stand alone', () => {
    expect(readArguments(['version'])).toEqual({ ok: true, command: { name: 'version' } });
    expect(readArguments(['version', 'the', 'API'])).toMatchObject({
      command: { prompt: 'version the API' },
    });
  });

  it('takes help for a word, too, and shows that of a command', () => {
    expect(readArguments(['help'])).toMatchObject({ command: { name: 'help' } });
    const own = { name: 'own', command: 'sessions', argv: ['--help'] };
    expect(readArguments(['help', 'sessions'])).toMatchObject({ command: own });
  });

  it.each([
    [
      ['-p', 'x', '--session-id', 'mine'],
      '--session-id takes a UUID, not mine; a title is given with --name',
    ],
    [
      ['-p', 'x', '--resume', 'abcd', '--session-id', '0b7f64f1-62a5-4f0e-9d5b-5f0b1c2d3e4f'],
      '--session-id is for a new session; with --resume or --continue it needs --fork-session',
    ],
    [['help', 'sesions'], 'there is no command sesions; heddle --help lists commands and flags'],
    [
      ['-p', 'x', '--resume'],
      '--resume needs a session, its id or title: without a terminal, no list is shown',
    ],
    [['--modle', 'x'], 'unknown flag --modle; did you mean --model?'],
    [['-z'], 'unknown flag -z; see heddle --help'],
    [['-P'], 'unknown flag -P; did you mean -p?'],
    [
      ['login'],
      'there is no command login; keys are read from the environment: heddle models says which. As a prompt: heddle -- login',
    ],
    [
      ['plugin', 'list', '--json'],
      'there is no command plugin; plugins are not installed by Heddle; enable one in the settings, or use --plugin-dir. As a prompt: heddle -- "plugin list --json"',
    ],
    [
      ['auth', 'login'],
      'there is no command auth; keys are read from the environment: heddle models says which. As a prompt: heddle -- "auth login"',
    ],
    [
      ['exec', 'hi'],
      'there is no command exec; heddle -p "…" answers one prompt. As a prompt: heddle -- "exec hi"',
    ],
    [
      ['sesions'],
      'there is no command sesions; did you mean heddle sessions? As a prompt: heddle -- "sesions"',
    ],
    [['confg', 'list'], /did you mean heddle config\?/],
    [['Models'], /did you mean heddle models\?/],
    [['setup-token'], /there is no command setup-token; keys are read from the environment/],
    [['resume', '0b7f64f1'], /there is no command resume; heddle --resume continues a session/],
    [['--xyzzy-plugh'], 'unknown flag --xyzzy-plugh; see heddle --help'],
    [['-p', '--model'], '--model needs a value'],
    [['-p', '--max-turns', 'many'], '--max-turns takes a whole number, not many'],
    [['-p', '--output-format', 'xml'], '--output-format takes one of text, json, stream-json, not xml'],
    [['-p', '--permission-mode', 'yolo'], /takes one of default/],
  ])('refuses %j with a reason', (argv, message) => {
    const read = readArguments(argv);
    expect(read.ok ? '' : read.message).toMatch(message);
  });

  it.each([
    [['login', 'page', 'is', 'broken'], 'login page is broken'],
    [['agents', 'crash', 'at', 'start'], 'agents crash at start'],
    [['update', 'the', 'readme'], 'update the readme'],
    [['resume', 'the', 'review'], 'resume the review'],
    [['mcp list does not work'], 'mcp list does not work'],
  ])('takes %j for a prompt', (argv, prompt) => {
    expect(readArguments(argv)).toMatchObject({ command: { name: 'chat', prompt } });
  });

  it('keeps a rule with spaces in its parentheses whole', () => {
    expect(splitRules('Bash(git log *),Read Write')).toEqual(['Bash(git log *)', 'Read', 'Write']);
  });
});
