/** Questions to a host and streams of answers, frame by frame. The real program against a fake Messages API. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say, think } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { OutputLine } from '../../test/program.ts';
import { lineIn } from './json.ts';
import { prompt, resultsOf } from './test/conversation.ts';
import { answerWith } from './test/hooked.ts';
import { stage } from './test/stage.ts';

const perform = stage();
const ASKS = ['--permission-prompt-tool', 'stdio'];

/** Answers every question, and keeps it. */
function answering(answer: (request: Readonly<Record<string, unknown>>) => object) {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const reply = (line: OutputLine): object | 'close' | undefined => {
    if (line['type'] === 'result') return 'close';
    const request = lineIn(line['request']);
    if (request?.['subtype'] !== 'can_use_tool') return undefined;
    asked.push(request);
    return answerWith(line, answer(request));
  };
  return { asked, reply };
}

describe('a host that answers questions', () => {
  it('approves a plan, and chooses the mode after it', async () => {
    const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const { asked, reply } = answering(({ input }) => ({
      behavior: 'allow',
      updatedInput: input,
      updatedPermissions: [setMode],
    }));
    const script = [
      call('ExitPlanMode', { plan: 'Write a file.' }, 'p1'),
      call('Write', { file_path: 'made.txt', content: 'x' }, 'w1'),
      say('Done.'),
    ];
    const held = await perform(script, {
      flags: [...ASKS, '--permission-mode', 'plan'],
      first: [prompt('go')],
      reply,
    });
    expect(asked.map((request) => request['tool_name'])).toEqual(['ExitPlanMode']);
    expect(existsSync(path.join(held.folder, 'made.txt'))).toBe(true);
  });

  it('answers a question of the model with its input', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which color?', header: 'Color', options, multiSelect: false }];
    const { asked, reply } = answering(({ input }) => ({
      behavior: 'allow',
      updatedInput: { ...lineIn(input), answers: { 'Which color?': 'A dark green' } },
    }));
    const held = await perform([call('AskUserQuestion', { questions }, 'q1'), say('Green.')], {
      flags: ASKS,
      first: [prompt('go')],
      reply,
    });
    expect(asked).toMatchObject([{ tool_name: 'AskUserQuestion', input: { questions } }]);
    expect(JSON.stringify(held.api.requests[1]?.body)).toContain('A dark green');
  });

  it('is told the file that a call may not use', async () => {
    const outside = '/tmp/heddle-outside/made.txt';
    const { asked, reply } = answering(() => ({ behavior: 'deny', message: 'Not there.' }));
    const held = await perform([call('Write', { file_path: outside, content: 'x' }, 'w1'), say('Ok.')], {
      flags: [...ASKS, '--permission-mode', 'acceptEdits'],
      first: [prompt('go')],
      reply,
    });
    expect(asked).toMatchObject([{ tool_use_id: 'w1', blocked_path: outside }]);
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'w1' }] }]);
  });
});

it('a host that reads partial messages hears how much the model has thought', async () => {
  const held = await perform([[think('a'.repeat(40), 'b'.repeat(20)), say('Done.')]], {
    flags: ['--include-partial-messages', '--max-thinking-tokens', '2048'],
    first: [prompt('go')],
    closes: true,
  });
  const amounts = held.lines
    .filter(({ subtype }) => subtype === 'thinking_tokens')
    .map(({ estimated_tokens, estimated_tokens_delta }) => [estimated_tokens, estimated_tokens_delta]);
  expect(amounts.at(-1)?.[0]).toBe(15);
  expect(amounts.reduce((sum, [, delta]) => sum + Number(delta), 0)).toBe(15);
});
