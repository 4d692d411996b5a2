/** The built-in commands through the program on every surface: each of them answers, and the same way. */
import { type ApiScript, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { PROMPT } from '../conversation/test/scene.ts';
import { ENTER } from '../conversation/test/terminal.ts';
import { linesOf } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

/** In this order, in one conversation. A command that asks the model uses up one answer of the script. */
const COMMANDS: readonly (readonly [command: string, answers: RegExp])[] = [
  ['/compact', /nothing to leave out/i],
  ['hello', /Hi\./],
  ['/context', /k of 200k tokens/],
  ['/cost', /The cost of this session is unknown/],
  ['/model', /The model is scripted-1/],
  ['/effort high', /The effort is high from the next prompt on\./],
  ['/fast', /Fast mode is off\. scripted-1 has no fast mode\./],
  ['/permissions', /The mode is default\./],
  ['/hooks', /No hooks are declared here\./],
  ['/memory', /No instruction file applies\./],
  ['/skills', /There are no skills and no commands from files\./],
  ['/agents', /Explore +Searches the code base/],
  ['/mcp', /No MCP server is configured\./],
  ['/export out.md', /The conversation is in out\.md\./],
  ['/btw why?', /Because\./],
  ['/help', /\/agents +the types of subagents that the model may start/],
  ['/init', /Written\./],
];

const SCRIPT: ApiScript = [[say('Hi.')], [say('Because.')], [say('Written.')]];
const typed = (ends: string): string => COMMANDS.map(([command]) => `${command}${ends}`).join('');

describe('every built-in command', () => {
  it('works for a host, which is told when the conversation is emptied', async () => {
    const { run, sent } = await project({}, SCRIPT);
    const asked = [...COMMANDS.map(([command]) => command), '/rewind', '/rewind 1 conversation', '/clear'];
    const input = asked.map(
      (content) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`,
    );
    const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const lines = linesOf((await run(stream, { input: input.join('') })).stdout);
    const results = lines.filter(({ type }) => type === 'result');
    expect(results).toHaveLength(asked.length);
    let at = 0;
    for (const [command, answers] of COMMANDS) {
      const end = lines.findIndex(({ type }, index) => index >= at && type === 'result');
      // The engine answers /compact with a message of its own, and an empty result.
      const texts = lines.slice(at, end + 1).map((line) => JSON.stringify(line).replaceAll('\\n', '\n'));
      expect(texts.join('\n'), `after ${command}`).toMatch(answers);
      at = end + 1;
    }
    const [listed, rewound, cleared] = results.slice(COMMANDS.length).map(({ result }) => result);
    expect(listed).toMatch(/\b1 +hello/);
    expect([rewound, cleared]).toEqual([
      'The conversation is back before that prompt.',
      'The conversation is empty.',
    ]);
    const reset = lines.findIndex(({ type }) => type === 'conversation_reset');
    const session_id = lines[reset]?.['session_id'];
    expect(lines[reset]).toMatchObject({ new_conversation_id: session_id, trigger: 'clear' });
    expect(lines[reset + 1]).toMatchObject({ type: 'result', local_command: 'clear', session_id });
    expect(sent()[2]).toContain('Write AGENTS.md');
  });

  it('works in a plain conversation', async () => {
    const { run } = await project({}, SCRIPT);
    const { stdout } = await run(['--plain'], { input: `${typed('\n')}/clear\n` });
    let rest = stdout;
    for (const [command, answers] of [...COMMANDS, ['/clear', /A new session\./] as const]) {
      expect(rest, `after ${command}`).toMatch(answers);
      rest = rest.slice(rest.search(answers) + 1);
    }
  });

  it('works in the terminal', async () => {
    const { start } = await project({}, SCRIPT);
    const terminal = start([], { columns: 100, rows: 60 });
    for (const [command, answers] of COMMANDS) {
      await terminal.sees(PROMPT);
      // A space closes the menu of commands, so that Enter sends the line.
      terminal.type(`${command} ${ENTER}`);
      await terminal.sees(answers);
      if (command !== '/model') continue;
      // The terminal shows a list to choose from.
      await terminal.shows(/\nmodel>$/);
      terminal.type('\u001b');
    }
    await terminal.sees(PROMPT);
    terminal.type(`/rewind 1 conversation${ENTER}`);
    await terminal.sees('The conversation is back before that prompt. It is in the line below.');
    terminal.type(`\u0015/clear ${ENTER}`);
    await terminal.sees('A new session.');
  });
});
