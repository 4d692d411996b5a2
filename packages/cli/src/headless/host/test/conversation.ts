/** A host on the other side of the real program: what it sends at once, and what it answers to the lines it reads. */
import type { ScriptStep } from '@heddle/testing';
import { expect } from 'vitest';
import { frameProblems } from './frames.ts';
import { homeFor } from '../../../test/home.ts';
import { type Ended, linesOf, type OutputLine } from '../../../test/program.ts';

export interface Conversation {
  /** The steps of the model. Without a script, the flags name the model. */
  readonly script?: readonly ScriptStep[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the folder, before the program starts. */
  readonly prepare?: (folder: string) => void;
  /** Sent at once. */
  readonly first: readonly (object | string)[];
  /** Returns the host's answer to a line, or `'close'` to close its input. Called once for each line. */
  readonly reply?: (line: OutputLine, folder: string) => object | readonly object[] | 'close' | undefined;
  /** Close at once, behind the first lines. */
  readonly closes?: boolean;
}

export interface Held extends Ended {
  readonly lines: readonly OutputLine[];
  readonly folder: string;
}

export async function converse(
  program: string,
  { script, flags = [], env = {}, prepare, first, reply, closes = false }: Conversation,
): Promise<Held> {
  const { run, script: modelOf, folder } = homeFor(program);
  prepare?.(folder);
  let seen = 0;
  const sent: object[] = [];
  const encode = (line: object | string): string => {
    if (typeof line === 'object') sent.push(line);
    return `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
  };
  const json = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const model = script ? ['--model', modelOf(script)] : [];
  const ended = await run([...json, ...model, ...flags], {
    env,
    input: null,
    onStart({ stdin }) {
      for (const line of first) stdin?.write(encode(line));
      if (closes) stdin?.end();
    },
    onOutput(stdout, { stdin }) {
      const lines = linesOf(stdout);
      for (const line of lines.slice(seen)) {
        const answer = reply?.(line, folder);
        if (answer === 'close') stdin?.end();
        else for (const line of [answer ?? []].flat()) stdin?.write(encode(line));
      }
      seen = lines.length;
    },
  });
  const lines = linesOf(ended.stdout);
  expect(frameProblems(lines, sent)).toEqual([]);
  return { ...ended, lines, folder };
}

export const prompt = (content: unknown, more: object = {}): object => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
  ...more,
});

export const control = (id: string, request: object): object => ({
  type: 'control_request',
  request_id: id,
  request,
});

export const isResult = ({ type }: OutputLine): boolean => type === 'result';

export const closeAtResult = (line: OutputLine): 'close' | undefined =>
  isResult(line) ? 'close' : undefined;

export const resultsOf = ({ lines }: Held): readonly OutputLine[] => lines.filter(isResult);

/** The reply to a control request. */
export function replyTo(id: string, { lines }: Held): unknown {
  return lines.map((line) => line['response']).find((response) => idIn(response) === id);
}

/** Is this line the reply to that request? */
export function answers(line: OutputLine, id: string): boolean {
  return line['type'] === 'control_response' && idIn(line['response']) === id;
}

function idIn(response: unknown): unknown {
  return typeof response === 'object' && response !== null && 'request_id' in response
    ? response.request_id
    : undefined;
}
