/** Invalid calls that real servers send. */
import {
  chat,
  chatCall,
  chunk,
  gemini,
  geminiCall,
  RESPONDED,
  responses,
  responsesCall,
  streamed,
} from '../raw-answers.ts';
import { type Cause, chats, type Row, WHOLE_INPUT } from './row.ts';

const NAMED_ITEMS: Cause = {
  none: 'calls are items with ids; without one the package reads nothing, and it is tried again',
};
const NO_INDEX: Cause = { none: 'calls have no index here' };
const OWN_BLOCKS: Cause = { none: 'calls are blocks with an index and an id that the service guarantees' };
const INDEX_WANTED: Cause = { none: 'the package wants an index; OpenAI, Groq and DeepSeek always send one' };
const STATUS_TELLS: Cause = { none: 'an answer ends with its status, not with a word about calls' };

export const CALLS: readonly Row[] = [
  {
    fault: 'input of a call that is not JSON',
    outcome: { is: 'called', result: 'The input is not a JSON object' },
    cells: {
      ...chats(chat('tool_calls', { tool_calls: [chatCall({ index: 0, id: 'x' }, '{"at": oops}')] })),
      responses: responses(...responsesCall(0, 'x', '{"at": oops}'), RESPONDED),
      gemini: WHOLE_INPUT,
      converse: { none: 'told by script: see faults.test.ts' },
    },
  },
  {
    fault: 'a call without input',
    outcome: { is: 'called', result: 'seen nothing' },
    cells: {
      ...chats(chat('tool_calls', { tool_calls: [chatCall({ index: 0, id: 'x' }, null)] })),
      responses: responses(...responsesCall(0, 'x', ''), RESPONDED),
      gemini: gemini('STOP', [{ functionCall: { name: 'Look' } }]),
      converse: { none: 'told by script: see sessions.test.ts' },
    },
  },
  {
    fault: 'a call without an id',
    outcome: { is: 'called' },
    cells: {
      ...chats(chat('tool_calls', { tool_calls: [chatCall({ index: 0 })] })),
      responses: NAMED_ITEMS,
      gemini: gemini('STOP', [geminiCall()]),
      converse: OWN_BLOCKS,
    },
  },
  {
    fault: 'two calls with one id',
    outcome: { is: 'called', times: 2 },
    cells: {
      ...chats(
        chat('tool_calls', {
          tool_calls: [chatCall({ index: 0, id: 'x' }), chatCall({ index: 1, id: 'x' })],
        }),
      ),
      responses: responses(
        ...responsesCall(0, 'x', '{"at":"a"}'),
        ...responsesCall(1, 'x', '{"at":"a"}'),
        RESPONDED,
      ),
      gemini: gemini('STOP', [geminiCall({ id: 'x' }), geminiCall({ id: 'x' })]),
      converse: OWN_BLOCKS,
    },
  },
  {
    fault: 'two calls without an index',
    outcome: { is: 'called', times: 2 },
    cells: {
      chat: INDEX_WANTED,
      compatible: chat(
        'tool_calls',
        { tool_calls: [chatCall({ id: 'x' })] },
        { tool_calls: [chatCall({ id: 'y' })] },
      ),
      responses: NO_INDEX,
      gemini: NO_INDEX,
      converse: OWN_BLOCKS,
    },
  },
  {
    fault: 'two calls with the same index',
    outcome: { is: 'called', times: 2 },
    cells: {
      ...chats(
        chat(
          'tool_calls',
          { tool_calls: [chatCall({ index: 0, id: 'x' })] },
          { tool_calls: [chatCall({ index: 0, id: 'y' })] },
        ),
      ),
      responses: NO_INDEX,
      gemini: NO_INDEX,
      converse: OWN_BLOCKS,
    },
  },
  {
    fault: 'text, two calls and the end in one chunk',
    outcome: { is: 'called', times: 2 },
    cells: {
      ...chats(
        streamed(
          chunk(
            { tool_calls: [chatCall({ index: 0, id: 'x' }), chatCall({ index: 1, id: 'y' })] },
            'tool_calls',
          ),
          '[DONE]',
        ),
      ),
      responses: { none: 'every item has events of its own' },
      gemini: gemini('STOP', [geminiCall({ id: 'x' }), geminiCall({ id: 'y' })]),
      converse: OWN_BLOCKS,
    },
  },
  {
    fault: 'a call although the model is said to have just stopped',
    outcome: { is: 'called' },
    cells: {
      ...chats(chat('stop', { tool_calls: [chatCall({ index: 0, id: 'x' })] })),
      responses: STATUS_TELLS,
      gemini: gemini('STOP', [geminiCall({ id: 'x' })]),
      converse: { none: 'Bedrock says tool_use' },
    },
  },
];
