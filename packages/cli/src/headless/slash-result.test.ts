/** Prompts that look like commands, given to the real program without a terminal. */
import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';
import { closeAtResult, converse, prompt, resultsOf } from './host/test/conversation.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('a prompt that is a command', () => {
  it.each([
    ['/help', /\/compact \[instructions\]/],
    ['/context', /^[\d.]+k of 200k tokens, scripted:/],
    ['/cost', /^\$0\.00 in this session/],
    ['/uncompact', /^There is no compaction to undo\.$/m],
    ['/compact', /nothing to leave out/i],
    ['/memory', /^No instruction file applies\./],
    ['/model', /^The model is scripted:/],
    ['/effort high', /^The effort is high from the next prompt on\.$/m],
    ['/permissions', /^The mode is default\.\n {2}There are no rules\.$/m],
    ['/fast on', /^scripted:\S+ has no fast mode\. These models have one: claude-opus-/],
    ['/agents', /^ {2}Explore +Searches the code base/m],
    ['/hooks', /^No hooks are declared here\./],
    ['/skills', /^There are no skills and no commands from files\./],
    ['/mcp', /^No MCP server is configured\./],
    ['/export', /^Say something first: there is nothing to export\.$/m],
    ['/rewind', /^There is nothing to go back to\.$/m],
    ['/clear', /^The conversation is empty\.$/m],
  ])('%s is answered without the model', async (words, says) => {
    const home = homeFor(installed.program);
    const { code, stdout } = await home.run(['-p', words, '--model', home.script([])]);
    expect(stdout).toMatch(says);
    expect(code).toBe(0);
  });

  it.each([
    ['/resume', /^heddle: \/resume needs a conversation at a terminal\./],
    ['/doctor', /^heddle: \/doctor needs a conversation at a terminal\./],
    ['/contxt', /^heddle: There is no command \/contxt\. Did you mean \/context\?/],
  ])('%s is refused with a sentence, not sent to the model', async (words, says) => {
    const home = homeFor(installed.program);
    const { code, stdout, stderr } = await home.run(['-p', words, '--model', home.script([say('no')])]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).toContain('--disable-slash-commands');
  });

  it('/btw asks the model beside the conversation, also after a resume', async () => {
    const home = homeFor(installed.program);
    await home.run(['-p', 'hello', '--model', home.script([say('Hi.')])]);
    const aside = await home.run(['-p', '-c', '/btw why?', '--model', home.script([say('Because.')])]);
    expect(aside).toMatchObject({ code: 0, stdout: 'Because.\n' });
    const shown = await home.run(['sessions', 'show', '--full']);
    expect(shown.stdout).not.toContain('Because.');
  });

  it('has one result like every prompt of a host, and the next one is taken up', async () => {
    const held = await converse(installed.program, {
      script: [say('Yes.')],
      first: [prompt('/context'), prompt('/nonsense'), prompt('/etc is full')],
      reply: (line) => (line['result'] === 'Yes.' ? closeAtResult(line) : undefined),
    });
    expect(resultsOf(held)).toMatchObject([
      { is_error: false, local_command: 'context', num_turns: 0 },
      { is_error: true, errors: [expect.stringContaining('There is no command /nonsense.')] },
      { is_error: false, result: 'Yes.' },
    ]);
    expect(held.lines.find(({ subtype }) => subtype === 'init')).toMatchObject({
      slash_commands: expect.arrayContaining([
        'compact',
        'clear',
        'context',
        'cost',
        'help',
        'hooks',
        'memory',
        'model',
      ]),
    });
  });
});

it('/clear leaves nothing of the conversation for the next prompt of a host', async () => {
  const held = await converse(installed.program, {
    script: [say('One.'), say('Two.')],
    first: [
      prompt('a word to forget'),
      prompt('/clear', { priority: 'later' }),
      prompt('/context', { priority: 'later' }),
    ],
    reply: (line) => (line['local_command'] === 'context' ? closeAtResult(line) : undefined),
  });
  const [, cleared, context] = resultsOf(held);
  expect(cleared).toMatchObject({ is_error: false, local_command: 'clear' });
  expect(context?.['result']).not.toMatch(/prompts|answers/);
});

it.each([['/etc is full'], ['/usr/bin'], ['/help me with this']])(
  '%s is words for the model',
  async (words) => {
    const home = homeFor(installed.program);
    const { stdout } = await home.run(['-p', words, '--model', home.script([say('Yes.')])]);
    expect(stdout).toBe('Yes.\n');
  },
);

it('with --disable-slash-commands everything is words for the model', async () => {
  const home = homeFor(installed.program);
  const argv = ['-p', '/compact', '--disable-slash-commands', '--model', home.script([say('Yes.')])];
  expect((await home.run(argv)).stdout).toBe('Yes.\n');
});

it('/compact says what it did, and /uncompact takes it back', async () => {
  const home = homeFor(installed.program);
  const run = (words: string, answers: readonly string[]) =>
    home.run(['-p', '-c', words, '--model', home.script(answers.map((text) => say(text)))]);
  const long = 'word '.repeat(5_000);
  await home.run(['-p', 'go', '--model', home.script([say(long)])]);
  await run('continue', [long]);
  const { stdout, stderr } = await run('/compact', ['A hand-over.']);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^The conversation was compacted\. [\d.]+k tokens became [\d.k]+\./);
  expect((await run('/uncompact', [])).stdout).toBe('The conversation is back: 4 messages.\n');
});
