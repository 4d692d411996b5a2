/** Every rule for an answer that did not end by itself, as a table: answers × steps of the machine. */
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../messages/blocks.ts';
import type { AssistantMessage, Message } from '../messages/message.ts';
import {
  addBlock,
  addResult,
  type Answer,
  type AnswerStep,
  changeAnswer,
  completeCalls,
  endAttempt,
  isEmptyAnswer,
  NO_ANSWER,
  openCalls,
  resultMessages,
  retract,
} from './answer.ts';

const CONTENT: Readonly<Record<string, ContentBlock>> = {
  text: { type: 'text', text: 'Some text.' },
  think: { type: 'thinking', thinking: 'Hm.', signature: 's' },
  call: { type: 'tool_use', id: 'call', name: 'Read', input: {} },
  call2: { type: 'tool_use', id: 'call2', name: 'Read', input: {} },
};

function block(name: string): AssistantMessage {
  const content = CONTENT[name];
  return {
    type: 'assistant',
    uuid: name,
    at: 0,
    responseId: 'r',
    model: 'm',
    content: content ? [content] : [],
  };
}

function result(toolUseId: string): readonly Message[] {
  const attachment = { kind: 'reminder', about: 'hook', text: 'A remark.' } as const;
  return [
    { type: 'user', uuid: `result of ${toolUseId}`, at: 0, content: [] },
    { type: 'attachment', uuid: `remark on ${toolUseId}`, at: 0, attachment },
  ];
}

/** `text call*` means two blocks, of which the last was cut. `…` means the text of a block without an end. */
function answerOf(notation: string, resultsOf: readonly string[] = []): Answer {
  const words = notation.split(' ').filter((word) => word !== '');
  let answer = NO_ANSWER;
  let last: AssistantMessage | undefined;
  for (const word of words.filter((one) => one !== '…')) {
    last = block(word.replace('*', ''));
    answer = addBlock(answer, last);
  }
  for (const toolUseId of resultsOf) answer = addResult(answer, { toolUseId, messages: result(toolUseId) });
  return endAttempt(answer, {
    last,
    wasCut: notation.includes('*') || words.includes('…'),
    hasOpenBlock: words.includes('…'),
    partialText: words.includes('…') ? 'Half of' : '',
  });
}

interface Row {
  readonly answer: string;
  readonly results?: readonly string[];
  readonly step: AnswerStep;
  readonly blocks: string;
  readonly retracted?: string;
  readonly dropped?: readonly string[] | 'all';
  readonly kept?: 'cut' | 'interrupted';
}

const ROWS: readonly Row[] = [
  // The last block is retracted, with its call and result.
  { step: 'drop_unfinished', answer: 'text call', blocks: 'text,call' },
  { step: 'drop_unfinished', answer: 'call call2*', blocks: 'call', retracted: 'call2', dropped: ['call2'] },
  {
    step: 'drop_unfinished',
    answer: 'call call2*',
    results: ['call', 'call2'],
    blocks: 'call',
    retracted: 'call2,result of call2,remark on call2',
    dropped: ['call2'],
  },
  { step: 'drop_unfinished', answer: 'call text*', blocks: 'call', retracted: 'text' },
  { step: 'drop_unfinished', answer: 'call …', blocks: 'call' },
  // The part that can be sent back stays.
  { step: 'keep_partial', answer: 'text …', blocks: 'text', kept: 'cut' },
  { step: 'keep_partial', answer: 'think …', blocks: 'think', kept: 'cut' },
  { step: 'keep_partial', answer: 'think text*', blocks: 'think,text', dropped: 'all' },
  { step: 'keep_partial', answer: 'text call*', blocks: 'text', retracted: 'call', dropped: 'all' },
  { step: 'keep_partial', answer: 'text think', blocks: 'text', retracted: 'think', dropped: 'all' },
  { step: 'keep_partial', answer: 'think*', blocks: '', retracted: 'think', dropped: 'all' },
  {
    step: 'keep_partial',
    answer: 'text call*',
    results: ['call'],
    blocks: 'text',
    retracted: 'call,result of call,remark on call',
    dropped: 'all',
  },
  { step: 'keep_partial', answer: '', blocks: '', dropped: 'all' },
  // An abort keeps all blocks and the partial text.
  { step: 'keep_interrupted', answer: 'text …', blocks: 'text', kept: 'interrupted' },
  { step: 'keep_interrupted', answer: 'text call', blocks: 'text,call' },
  { step: 'keep_interrupted', answer: 'text call*', blocks: 'text,call' },
  { step: 'keep_interrupted', answer: '', blocks: '' },
  // A retracted attempt leaves nothing.
  {
    step: 'tombstone_attempt',
    answer: 'text call',
    results: ['call'],
    blocks: '',
    retracted: 'text,call,result of call,remark on call',
    dropped: 'all',
  },
  { step: 'tombstone_attempt', answer: 'text …', blocks: '', retracted: 'text', dropped: 'all' },
  { step: 'tombstone_attempt', answer: '', blocks: '', dropped: 'all' },
  // A released error keeps the blocks, except a call without its end.
  { step: 'release', answer: 'text', blocks: 'text' },
  { step: 'release', answer: 'text*', blocks: 'text' },
  { step: 'release', answer: 'text call*', blocks: 'text', retracted: 'call', dropped: ['call'] },
  { step: 'release', answer: 'text …', blocks: 'text' },
];

describe('an answer that did not end by itself', () => {
  it.each(ROWS)('$step of "$answer" with results $results leaves "$blocks"', (row) => {
    const given = answerOf(row.answer, row.results);
    const before = structuredClone(given);
    const change = changeAnswer(given, row.step);
    expect({
      blocks: change.answer.blocks.map(({ uuid }) => uuid).join(','),
      retracted: change.retracted.join(','),
      dropped: change.dropped,
      kept: change.kept,
    }).toEqual({
      blocks: row.blocks,
      retracted: row.retracted ?? '',
      dropped: row.dropped ?? [],
      kept: row.kept && { text: 'Half of', incomplete: row.kept },
    });
    // The given answer is a value: the step did not change it.
    expect(given).toEqual(before);
  });

  it('never retracts a message twice', () => {
    for (const { answer, results, step } of ROWS) {
      const once = changeAnswer(answerOf(answer, results), step);
      const twice = changeAnswer(once.answer, 'tombstone_attempt');
      expect(once.retracted.filter((uuid) => twice.retracted.includes(uuid))).toEqual([]);
    }
  });

  it('has no result of a retracted call', () => {
    const { answer } = changeAnswer(answerOf('call call2*', ['call', 'call2']), 'drop_unfinished');
    expect(resultMessages(answer).map(({ uuid }) => uuid)).toEqual(['result of call', 'remark on call']);
  });

  it('keeps the blocks of earlier attempts when only the last attempt is retracted', () => {
    const { answer, retracted } = retract(answerOf('text call'), 1);
    expect([answer.blocks.map(({ uuid }) => uuid), retracted]).toEqual([['text'], ['call']]);
  });
});

describe('the calls of an answer', () => {
  it.each([
    ['call call2', 'call,call2'],
    ['call call2*', 'call'],
    ['call text*', 'call'],
    ['call …', 'call'],
    ['text', ''],
  ])('are complete unless the answer was cut behind them: %s', (notation, complete) => {
    const ids = completeCalls(answerOf(notation)).map(({ id }) => id);
    expect(ids.join(',')).toBe(complete);
  });

  it('are open until they have a result', () => {
    expect(openCalls(answerOf('call call2', ['call'])).map(({ id }) => id)).toEqual(['call2']);
  });

  it('keep the error for an unreadable input', () => {
    const answer = addBlock(NO_ANSWER, block('call'), 'not JSON');
    expect([...answer.badInputs]).toEqual([['call', 'not JSON']]);
    expect([...retract(answer).answer.badInputs]).toEqual([]);
  });
});

it.each([
  ['', true],
  ['think', true],
  ['think text', false],
  ['call', false],
])('an answer of "%s" is empty: %s', (notation, isEmpty) => {
  expect(isEmptyAnswer(answerOf(notation))).toBe(isEmpty);
});
