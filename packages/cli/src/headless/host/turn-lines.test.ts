/** Facts about turns for a host: the answered prompt, the number of waiting prompts, the state of the session. */
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { closeAtResult, control, prompt, resultsOf } from './test/conversation.ts';
import { stage } from './test/stage.ts';

const perform = stage();

it('an answer and its result name the prompt that the host named', async () => {
  const held = await perform([say('One.'), say('Two.')], {
    first: [prompt('one', { uuid: 'u1' }), prompt('two', { priority: 'later' })],
    closes: true,
  });
  const named = held.lines.map((line) => [line['type'], line['user_message_uuid']]);
  expect(named).toEqual([
    ['system', undefined],
    ['assistant', 'u1'],
    ['result', 'u1'],
    ['system', undefined],
    ['assistant', undefined],
    ['result', undefined],
  ]);
  expect(resultsOf(held)).toMatchObject([
    { result_index: 0, queued_turn_count: 1 },
    { result_index: 1, queued_turn_count: 0 },
  ]);
});

it('a client that reads the state of the session hears when it runs, waits for an answer, and is idle', async () => {
  const held = await perform([call('Bash', { command: 'touch made' }, 'b1'), say('Done.')], {
    env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' },
    flags: ['--permission-prompt-tool=stdio'],
    first: [control('i1', { subtype: 'initialize' }), prompt('go')],
    reply: (line) => {
      if (line['type'] !== 'control_request') return line['state'] === 'idle' ? 'close' : undefined;
      const response = {
        subtype: 'success',
        request_id: line['request_id'],
        response: { behavior: 'allow' },
      };
      return { type: 'control_response', response };
    },
  });
  const states = held.lines.filter(({ subtype }) => subtype === 'session_state_changed');
  expect(states.map(({ state }) => state)).toEqual(['running', 'requires_action', 'running', 'idle']);
});

it('other hosts hear nothing of it', async () => {
  const held = await perform([say('Done.')], { first: [prompt('go')], reply: closeAtResult });
  expect(held.lines.filter(({ subtype }) => subtype === 'session_state_changed')).toEqual([]);
});
