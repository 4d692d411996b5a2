/** Prompts that arrive while a turn runs, and prompts shown back. The real program, the host in this process. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiScript, call, hang, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { OutputLine } from '../../test/program.ts';
import {
  answers,
  closeAtResult,
  control,
  type Conversation,
  type Held,
  isResult,
  prompt,
  replyTo,
  resultsOf,
} from './test/conversation.ts';
import { stage } from './test/stage.ts';

const perform = stage();

interface Played extends Held {
  /** The messages of each request, as text. */
  readonly asked: readonly string[];
}

async function play(script: ApiScript, conversation: Conversation): Promise<Played> {
  const flags = ['--allowed-tools', 'Bash', ...(conversation.flags ?? [])];
  const { api, ...held } = await perform(script, { ...conversation, flags });
  return { ...held, asked: api.requests.map(({ bytes }) => new TextDecoder().decode(bytes)) };
}

/** Runs until the host says so. */
const WAITING = call('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' }, 'b1');
const isCall = (line: OutputLine): boolean =>
  line['type'] === 'assistant' && JSON.stringify(line).includes('"id":"b1"');

/** Sends these while the tool runs, and lets it end once the program has certainly taken them. */
const meanwhile =
  (...lines: readonly object[]) =>
  (line: OutputLine, folder: string): object | readonly object[] | 'close' | undefined => {
    if (isCall(line)) return [...lines, control('taken', { subtype: 'mcp_status' })];
    if (answers(line, 'taken')) writeFileSync(path.join(folder, 'go'), '');
    return undefined;
  };

describe('a prompt that arrives while a turn runs', () => {
  it('joins it between two calls: one result, and the model has read both', async () => {
    const during = meanwhile(prompt('and in French', { uuid: 'second' }));
    const held = await play([WAITING, say('Bonjour.')], {
      first: [prompt('say hello')],
      reply: (line, folder) => during(line, folder) ?? closeAtResult(line),
    });
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'Bonjour.' }]);
    expect(held.asked).toHaveLength(2);
    expect(held.asked[1]).toContain('and in French');
    expect(held.lines.filter(({ type }) => type === 'command_lifecycle')).toMatchObject([
      { command_uuid: 'second', state: 'queued' },
      { command_uuid: 'second', state: 'started' },
      { command_uuid: 'second', state: 'completed' },
    ]);
  });

  it('waits for a turn of its own where it says later', async () => {
    const during = meanwhile(prompt('afterwards', { priority: 'later' }));
    const held = await play([WAITING, say('One.'), say('Two.')], {
      first: [prompt('go')],
      reply: (line, folder) =>
        during(line, folder) ?? (line['result'] === 'Two.' ? ('close' as const) : undefined),
    });
    expect(resultsOf(held).map(({ result }) => result)).toEqual(['One.', 'Two.']);
    expect(held.asked[1]).not.toContain('afterwards');
  });

  it('ends it at once where it says now', async () => {
    const held = await play([[say('One moment.'), hang()], say('At once.')], {
      first: [prompt('go')],
      reply: (line) =>
        line['type'] === 'assistant' && JSON.stringify(line).includes('One moment.')
          ? prompt('this first', { priority: 'now' })
          : isResult(line) && line['result'] === 'At once.'
            ? 'close'
            : undefined,
    });
    expect(resultsOf(held)).toMatchObject([
      { subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' },
      { subtype: 'success', result: 'At once.' },
    ]);
    expect(held.code).toBe(0);
  });

  it('may be retracted with an interrupt', async () => {
    const held = await play([[say('One moment.'), hang()]], {
      first: [prompt('go'), prompt('next', { uuid: 'u2' })],
      reply: (line) => {
        if (line['type'] === 'assistant') return control('i1', { subtype: 'interrupt', cancel_queued: true });
        return closeAtResult(line);
      },
    });
    expect(replyTo('i1', held)).toMatchObject({ response: { still_queued: [], cancelled: ['u2'] } });
    expect(resultsOf(held)).toHaveLength(1);
  });
});

describe('a prompt that waits', () => {
  const states = ({ lines }: Held): unknown[] =>
    lines.filter(({ type }) => type === 'command_lifecycle').map(({ state }) => state);

  it('is reported through a turn of its own', async () => {
    const during = meanwhile(prompt('afterwards', { uuid: 'u2', priority: 'later' }));
    const held = await play([WAITING, say('One.'), say('Two.')], {
      first: [prompt('go')],
      reply: (line, folder) => during(line, folder) ?? (line['result'] === 'Two.' ? 'close' : undefined),
    });
    expect(states(held)).toEqual(['queued', 'started', 'completed']);
  });

  it('is reported as cancelled if the host takes it back', async () => {
    const held = await play([[say('One moment.'), hang()]], {
      first: [prompt('go'), prompt('next', { uuid: 'u2' })],
      reply: (line) => {
        if (line['type'] === 'assistant') return control('i1', { subtype: 'interrupt', cancel_queued: true });
        return closeAtResult(line);
      },
    });
    expect(states(held)).toEqual(['queued', 'cancelled']);
  });
});

describe('an interrupt', () => {
  it('says which prompts still wait, and they are answered', async () => {
    const held = await play([[say('One moment.'), hang()], say('Next.')], {
      first: [prompt('go'), prompt('next', { uuid: 'u2' })],
      reply: (line) => {
        if (line['type'] === 'assistant' && JSON.stringify(line).includes('One moment.'))
          return control('i1', { subtype: 'interrupt' });
        return line['result'] === 'Next.' ? 'close' : undefined;
      },
    });
    expect(replyTo('i1', held)).toMatchObject({ response: { still_queued: ['u2'] } });
    expect(resultsOf(held)).toHaveLength(2);
  });
});

describe('a side question of the host', () => {
  it('is answered while a tool runs, and the turn continues without it', async () => {
    const script: ApiScript = (request) => {
      const asked = JSON.stringify(request.messages);
      if (asked.includes('without interrupting the work')) return say('It runs a command.');
      return asked.includes('tool_result') ? say('Done.') : WAITING;
    };
    const held = await play(script, {
      first: [prompt('go')],
      reply: (line, folder) => {
        if (isCall(line)) return control('q1', { subtype: 'side_question', question: 'What runs?' });
        if (answers(line, 'q1')) writeFileSync(path.join(folder, 'go'), '');
        return closeAtResult(line);
      },
    });
    expect(replyTo('q1', held)).toMatchObject({
      subtype: 'success',
      response: { response: 'It runs a command.' },
    });
    expect(resultsOf(held)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
    expect(held.asked.at(-1)).not.toContain('What runs?');
  });

  it('is answered although the host has closed its side', async () => {
    const script: ApiScript = (request) =>
      say(JSON.stringify(request.messages).includes('without interrupting') ? 'Aside.' : 'Hello.');
    const held = await play(script, {
      first: [prompt('go'), control('q1', { subtype: 'side_question', question: 'Why?' })],
      closes: true,
    });
    expect(replyTo('q1', held)).toMatchObject({ response: { response: 'Aside.' } });
  });
});

describe('a prompt that asks nothing', () => {
  it('joins the conversation and starts no turn', async () => {
    const held = await play([say('Noted.')], {
      first: [prompt('The build is red.', { shouldQuery: false }), prompt('What about the build?')],
      closes: true,
    });
    expect(resultsOf(held)).toHaveLength(1);
    expect(held.asked).toHaveLength(1);
    expect(held.asked[0]).toMatch(/The build is red\..*What about the build\?/);
  });
});

describe('--replay-user-messages', () => {
  it('shows every prompt back once it is stored, under the id its host gave it', async () => {
    const during = meanwhile(prompt('and more', { uuid: 'u2' }));
    const held = await play([WAITING, say('Done.')], {
      flags: ['--replay-user-messages'],
      first: [prompt('go', { uuid: 'u1' })],
      reply: (line, folder) => during(line, folder) ?? closeAtResult(line),
    });
    expect(held.lines[1]).toMatchObject({
      type: 'user',
      message: { role: 'user', content: 'go' },
      uuid: 'u1',
      isReplay: true,
    });
    const replays = held.lines.filter((line) => line['isReplay'] === true);
    expect(replays.map(({ uuid }) => uuid)).toEqual(['u1', 'u2']);
  });

  it('is silent without the flag', async () => {
    const held = await play([say('Done.')], { first: [prompt('go', { uuid: 'u1' })], closes: true });
    expect(held.lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
  });
});
