/** Conversations for the tests of the context levels: built by hand, or at random under a seed. */
import { type ContentBlock, History, type Message } from '@heddle/core';

let count = 0;

export function userSays(content: string | readonly ContentBlock[], more: object = {}): Message {
  return { type: 'user', uuid: `u${++count}`, at: count, content, ...more };
}

export function says(...content: readonly ContentBlock[]): Message {
  const id = ++count;
  return { type: 'assistant', uuid: `a${id}`, at: id, responseId: `r${id}`, model: 'scripted-1', content };
}

export const text = (words: string): ContentBlock => ({ type: 'text', text: words });

export const call = (
  id: string,
  name = 'Read',
  input: object = { file_path: `/project/${id}.ts` },
): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- plain data by construction
  input: input as Record<string, string>,
});

export const result = (id: string, content: string, isError = false): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(isError ? { is_error: true } : {}),
});

/** A call and its result. */
export function step(id: string, output: string, name = 'Read', input?: object): Message[] {
  return [says(call(id, name, input)), userSays([result(id, output)])];
}

/** About so many tokens of prose, different for each number. */
export function prose(tokens: number, seed = 0): string {
  const words: string[] = [];
  for (let index = 0; index < tokens * 0.9; index++)
    words.push(WORDS[(index * 7 + seed * 13) % WORDS.length] ?? 'word');
  return words.join(' ');
}

const WORDS = (
  'the loop reads every message once and keeps what it has learned so that a turn costs only what it adds to the history ' +
  'while tests look at requests files open and close servers answer slowly people wait and nothing is lost on the way home'
).split(' ');

/** One prompt, then steps of this size; ends with a result, as a history does before a call. */
export function work(steps: number, tokensEach: number, prompt = 'Fix the failing test.'): Message[] {
  const messages: Message[] = [userSays(prompt)];
  for (let index = 0; index < steps; index++)
    messages.push(...step(`t${++count}`, prose(tokensEach, index), index % 5 === 4 ? 'Edit' : 'Read'));
  return messages;
}

export const historyOf = (messages: readonly Message[]): History<Message> => History.of(messages);
