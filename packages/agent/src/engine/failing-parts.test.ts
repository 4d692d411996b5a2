/** Parts beside the run that fail: its observer, and the store of a prompt that is continued. */
import { say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { JournalError } from '../session/journal/journal.ts';
import { memorySession } from '../session/open/memory.ts';
import type { AgentOptions } from './options.ts';

const OPTIONS = { modelName: 'scripted', tools: [], cwd: '/' } satisfies Partial<AgentOptions>;

describe('an observer that throws', () => {
  it('does not end the run, and each of its errors is reported once', async () => {
    const onEvent = ({ type }: { type: string }): void => {
      if (type === 'message') throw new Error('no space left');
    };
    const agent = createAgent({ ...OPTIONS, model: scriptedModel([say('One.'), say('Two.')]), onEvent });
    const lines = [...(await linesOf(agent.submit('go'))), ...(await linesOf(agent.submit('again')))];
    expect(lines.filter(({ type }) => type === 'result')).toEqual([
      expect.objectContaining({ subtype: 'success', result: 'One.' }),
      expect.objectContaining({ subtype: 'success', result: 'Two.' }),
    ]);
    expect(lines.filter((line) => line.type === 'system' && line.subtype === 'informational')).toEqual([
      expect.objectContaining({
        level: 'warning',
        content: 'An observer of the run failed: no space left',
      }),
    ]);
  });
});

describe('a prompt that is continued', () => {
  it('ends with a result if nothing more can be stored', async () => {
    const session = memorySession('s1', () => 1);
    const snapshot = {
      cwd: '/',
      model: 'scripted',
      systemPrompt: ['Help.'],
      userContext: {},
      systemContext: {},
    };
    for (const body of [
      { type: 'session', snapshot },
      { type: 'user', message: { type: 'user', uuid: 'u1', at: 1, content: 'go' } },
      {
        type: 'assistant',
        message: {
          type: 'assistant',
          uuid: 'a1',
          at: 2,
          responseId: 'r1',
          model: 'scripted',
          content: [{ type: 'text', text: 'half' }],
        },
      },
    ] as const) {
      session.journal.append(body);
      session.projection.apply(body);
    }
    const journal = {
      ...session.journal,
      append: () => {
        throw new JournalError('the disk is full');
      },
    };
    const full = { ...session, snapshot, journal };
    const agent = createAgent({ ...OPTIONS, model: scriptedModel([say('x')]), session: full });
    const [init, result, ...more] = await linesOf(agent.continue());
    expect(more).toEqual([]);
    expect(init).toMatchObject({ subtype: 'init' });
    expect(result).toMatchObject({ type: 'result', is_error: true, errors: ['the disk is full'] });
  });
});

async function linesOf(lines: AsyncIterable<SdkMessage>): Promise<readonly SdkMessage[]> {
  const read: SdkMessage[] = [];
  for await (const line of lines) read.push(line);
  return read;
}
