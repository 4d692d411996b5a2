/** Facts about turns for a host: the answered prompt, the number of waiting prompts, the state of the session. */
import { answer, call, raw, say, wired } from '@heddle/testing';
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

it('a host receives the limits of a subscription once, and again when they change', async () => {
  const limits = (status: string, more: Readonly<Record<string, string>> = {}) => ({
    headers: unified({
      status,
      reset: '1900000000',
      'representative-claim': 'five_hour',
      '5h-utilization': '0.5',
      ...more,
    }),
  });
  const held = await perform(
    [
      wired(limits('allowed'), answer(call('Bash', { command: 'pwd' }, 'b1'))),
      wired(limits('allowed'), answer(call('Bash', { command: 'pwd' }, 'b2'))),
      wired(
        limits('allowed_warning', { '5h-utilization': '0.92', '5h-surpassed-threshold': '0.9' }),
        answer(say('Done.')),
      ),
    ],
    { first: [prompt('go')], reply: closeAtResult },
  );
  const events = held.lines.filter(({ type }) => type === 'rate_limit_event');
  const about = { resetsAt: 1_900_000_000, rateLimitType: 'five_hour', isUsingOverage: false };
  expect(events.map(({ rate_limit_info: info }) => info)).toEqual([
    { status: 'allowed', utilization: 0.5, ...about },
    { status: 'allowed_warning', utilization: 0.92, surpassedThreshold: 0.9, ...about },
  ]);
});

it('a rejected request reports the limits of the plan and of the requests beyond it', async () => {
  const headers = unified({
    status: 'rejected',
    'overage-status': 'rejected',
    'overage-disabled-reason': 'out_of_credits',
  });
  const body = JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Used up.' } });
  const reply = raw(429, body, { 'content-type': 'application/json', 'x-should-retry': 'false', ...headers });
  const held = await perform([reply], { first: [prompt('go')], reply: closeAtResult });
  const events = held.lines.filter(({ type }) => type === 'rate_limit_event');
  expect(events.map(({ rate_limit_info: info }) => info)).toEqual([
    {
      status: 'rejected',
      overageStatus: 'rejected',
      overageDisabledReason: 'out_of_credits',
      isUsingOverage: false,
    },
  ]);
  expect(resultsOf(held)).toMatchObject([{ is_error: true, api_error_status: 429 }]);
});

it.each([
  ['the limits of an API key', { 'anthropic-ratelimit-requests-remaining': '1' }],
  ['an unknown status', unified({ status: 'later' })],
])('%s are not reported', async (_case, headers) => {
  const held = await perform([wired({ headers }, answer(say('Done.')))], {
    first: [prompt('go')],
    reply: closeAtResult,
  });
  expect(held.lines.filter(({ type }) => type === 'rate_limit_event')).toEqual([]);
});

function unified(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value]),
  );
}
