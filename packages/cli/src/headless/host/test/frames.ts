/** Checks every line of the program against the schemas of the protocol. */
import { FRAMES, HOST_REQUESTS, PROGRAM_REQUESTS } from '@heddle/agent/frames';
import { isRecord } from '@heddle/core';
import * as z from 'zod';
import type { OutputLine } from '../../../test/program.ts';

/** Returns one text per line that is not as docs/protocol.md says. `sent`: what the host wrote. */
export function frameProblems(lines: readonly OutputLine[], sent: readonly object[]): string[] {
  const asked = new Map(sent.filter(isRecord).map((line) => [line['request_id'], line['request']]));
  const problems = lines.flatMap((line) => problemOf(line, asked));
  const ids = lines.flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...problems, ...twice.map((id) => `two messages have the uuid ${id}`)];
}

function problemOf(line: OutputLine, asked: ReadonlyMap<unknown, unknown>): string[] {
  switch (line['type']) {
    case 'control_request':
      return matches(PROGRAM_REQUESTS, line['request'], 'request');
    case 'control_response': {
      const reply = isRecord(line['response']) ? line['response'] : {};
      const request = asked.get(reply['request_id']);
      if (request === undefined) return [`a reply without a request: ${JSON.stringify(line)}`];
      if (reply['subtype'] === 'error')
        return typeof reply['error'] === 'string' ? [] : ['an error without a text'];
      return matches(
        HOST_REQUESTS,
        { ...record(reply['response']), subtype: record(request)['subtype'] },
        'response',
      );
    }
    case 'control_cancel_request':
      return typeof line['request_id'] === 'string' ? [] : ['a withdrawn request without its id'];
    case 'transcript_mirror':
      return Array.isArray(line['entries']) ? [] : ['a mirror without entries'];
    default:
      return messageProblem(line);
  }
}

const MESSAGES = Object.values(FRAMES);

function messageProblem(line: OutputLine): string[] {
  const frame = MESSAGES.find(({ shape }) => {
    const subtype =
      'subtype' in shape && shape.subtype instanceof z.ZodLiteral ? shape.subtype.value : undefined;
    return shape.type.value === line['type'] && (subtype === undefined || subtype === line['subtype']);
  });
  if (!frame) return [`an undeclared message: ${JSON.stringify(line)}`];
  const parsed = frame.safeParse(line);
  return parsed.success
    ? []
    : [`${String(line['type'])}/${String(line['subtype'])}: ${z.prettifyError(parsed.error)}`];
}

type Requests = Readonly<Record<string, { readonly request: z.ZodType; readonly response?: z.ZodType }>>;

function matches(requests: Requests, value: unknown, part: 'request' | 'response'): string[] {
  const { subtype, ...fields } = record(value);
  const declared = requests[String(subtype)];
  if (!declared) return [`an undeclared ${part}: ${String(subtype)}`];
  const parsed = declared[part]?.safeParse(fields);
  return parsed === undefined || parsed.success
    ? []
    : [`${String(subtype)}: ${z.prettifyError(parsed.error)}`];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
