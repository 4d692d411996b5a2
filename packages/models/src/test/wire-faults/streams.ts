/** Streams that break, contain invalid data, or end in unusual ways. */
import { raw } from '@heddle/testing';
import {
  chat,
  chatCall,
  chunk,
  gemini,
  geminiChunk,
  RESPONDED,
  responded,
  responseOf,
  responses,
  responsesCall,
  streamed,
} from '../raw-answers.ts';
import { type Cause, chats, everywhere, GOOD, NO_TEXT, OVERLOADED, type Row, WHOLE_INPUT } from './row.ts';

const ONE_WORD: Cause = { none: 'thinking has one form here' };
const NO_DELTAS: Cause = { none: 'there are no deltas with empty fields' };

export const STREAMS: readonly Row[] = [
  {
    fault: 'JSON that is none in the middle of a stream',
    outcome: { is: 'repeated', class: 'server', words: 'cannot be read' },
    cells: {
      ...chats(streamed(chunk({ content: 'half' }), '{"id": oops', chunk({}, 'stop'), '[DONE]')),
      responses: responses(...responded('half'), '{"type": oops', RESPONDED),
      gemini: streamed(geminiChunk([{ text: 'half' }]), '{oops', geminiChunk([], 'STOP')),
      converse: NO_TEXT,
    },
  },
  {
    fault: 'an error in the middle of a stream, with a code',
    outcome: { is: 'repeated', class: 'overloaded', words: 'The model is overloaded.' },
    cells: {
      ...chats(streamed(chunk({ content: 'half' }), OVERLOADED)),
      responses: responses(...responded('half'), { type: 'error', ...OVERLOADED }),
      gemini: streamed(geminiChunk([{ text: 'half' }]), OVERLOADED),
      converse: NO_TEXT,
    },
  },
  {
    fault: 'an error that is only words',
    outcome: { is: 'repeated', class: 'server', words: 'the slot was lost' },
    cells: {
      ...chats(streamed(chunk({ content: 'half' }), { error: 'the slot was lost' })),
      responses: responses({ type: 'error', error: 'the slot was lost' }),
      gemini: { none: 'Google has one form for errors' },
      converse: NO_TEXT,
    },
  },
  {
    fault: 'a stream without an end, cut in a call',
    outcome: { is: 'repeated', class: 'network' },
    cells: {
      ...chats(chat(undefined, { tool_calls: [chatCall({ index: 0, id: 'x' }, '{"at":"a')] })),
      responses: responses(...responsesCall(0, 'x', '{"at":"a').slice(0, 2)),
      gemini: WHOLE_INPUT,
      converse: { none: 'a cut frame is a broken connection: see faults.test.ts' },
    },
  },
  {
    fault: 'an answer with nothing in it at all',
    outcome: { is: 'repeated', class: 'network' },
    cells: {
      ...everywhere(streamed()),
      converse: raw(200, '', { 'content-type': 'application/vnd.amazon.eventstream' }),
    },
  },
  {
    fault: 'a word for the end that means an error',
    outcome: { is: 'repeated', class: 'server' },
    cells: {
      ...chats(chat('error', { content: 'half' })),
      responses: responses(...responded('half'), {
        type: 'response.failed',
        response: responseOf('failed', { error: { code: 'server_error', message: 'lost' } }),
      }),
      gemini: gemini('MALFORMED_FUNCTION_CALL', []),
      converse: { none: 'errors are exceptions of the stream: see faults.test.ts' },
    },
  },
  {
    fault: 'a word for the end that means a refusal',
    outcome: { is: 'refused' },
    cells: {
      ...chats(chat('content_filter', { content: 'I' })),
      responses: responses(...responded('I'), {
        type: 'response.incomplete',
        response: responseOf('incomplete', { incomplete_details: { reason: 'content_filter' } }),
      }),
      gemini: gemini('PROHIBITED_CONTENT', [{ text: 'I' }]),
      converse: { none: 'told by script: see faults.test.ts' },
    },
  },
  {
    fault: 'a prompt that is blocked before the model has seen it',
    outcome: { is: 'refused' },
    cells: {
      ...chats({ none: 'said with a status' }),
      responses: { none: 'said with a status' },
      gemini: streamed({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
      converse: { none: 'told as guardrail_intervened by script: see faults.test.ts' },
    },
  },
  {
    fault: 'fields that are null',
    outcome: { is: 'told' },
    cells: {
      ...chats(
        streamed(
          chunk({
            role: 'assistant',
            content: null,
            tool_calls: null,
            reasoning_content: null,
            refusal: null,
          }),
          chunk(null),
          chunk({ content: 'Good.' }),
          chunk({ content: null }, 'stop'),
          { id: 'c1', choices: [], usage: null },
          '[DONE]',
        ),
      ),
      responses: NO_DELTAS,
      gemini: NO_DELTAS,
      converse: NO_DELTAS,
    },
  },
  {
    fault: 'missing token counts',
    outcome: { is: 'told' },
    cells: {
      ...chats(chat('stop', { content: 'Good.' })),
      responses: responses(...responded('Good.'), RESPONDED),
      gemini: gemini('STOP', [{ text: 'Good.' }]),
      converse: { none: 'the counts are a frame of the protocol' },
    },
  },
  {
    fault: 'thinking under its other name',
    outcome: { is: 'told' },
    cells: {
      chat: { none: 'OpenAI tells no thinking here' },
      compatible: chat('stop', { reasoning: 'Hm.' }, { content: 'Good.' }),
      responses: ONE_WORD,
      gemini: ONE_WORD,
      converse: ONE_WORD,
    },
  },
  {
    fault: 'unknown events, and comments that keep the connection open',
    outcome: { is: 'told' },
    cells: {
      ...chats(raw(200, `: ping\n\n: PROCESSING\n\n${GOOD.chat}`, { 'content-type': 'text/event-stream' })),
      responses: responses(
        { type: 'response.new_thing', at: 1 },
        ...responded('Good.'),
        { type: 'keepalive' },
        RESPONDED,
      ),
      gemini: raw(200, `: ping\n\n${GOOD.gemini}`, { 'content-type': 'text/event-stream' }),
      converse: NO_TEXT,
    },
  },
];
