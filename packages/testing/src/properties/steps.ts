/** Converts a planned attempt with its faults to a step of the scripted model. */
import type { ModelRequest } from '@heddle/core';
import {
  breakOff,
  call,
  cut,
  fail,
  foreignBlock,
  hangUp,
  pause,
  pauseTurn,
  redacted,
  refuse,
  say,
  stall,
  think,
  unfinished,
  usage,
  windowFull,
} from '../scripted/builders.ts';
import type { BlockPart, ScriptPart } from '../scripted/part.ts';
import type { Fault } from './hits.ts';
import { callId, type PlannedAttempt, type PlannedBlock, type PlannedEnd } from './plan.ts';
import { omitUndefined } from '@heddle/core';

export function stepOf(
  attempt: PlannedAttempt | undefined,
  number: number,
  request: ModelRequest,
): readonly ScriptPart[] {
  if (attempt === undefined) return [say(`Done ${number}.`)];
  const parts: ScriptPart[] = [];
  if (attempt.outputTokens !== undefined) parts.push(usage({ output_tokens: attempt.outputTokens }));
  for (const [index, block] of attempt.blocks.entries()) {
    const isOpen = isUnfinished(attempt) && index === attempt.blocks.length - 1;
    const whole = blockOf(block, number, index);
    if (block.waitMs > 0) parts.push(pause(block.waitMs));
    parts.push(isOpen ? unfinished(whole, attempt.unfinished) : whole);
  }
  return [...parts, ...endOf(attempt.end, request)];
}

/** Every block has a unique text, so that it can be recognized in a request. */
function blockOf(block: PlannedBlock, number: number, index: number): BlockPart {
  const mark = `<${number}.${index}>`;
  switch (block.kind) {
    case 'text':
      return say(`Words ${mark} of the model, and a few more`);
    case 'blank':
      return say(' \n');
    case 'thinking':
      return think(`Thoughts ${mark} of the model`);
    case 'redacted_thinking':
      return redacted(`secret ${mark}`);
    case 'foreign':
      return foreignBlock({ type: 'poem', verse: mark });
    case 'call': {
      const name = block.form === 'unknown_tool' ? 'Nonsense' : block.tool;
      const input = { value: block.value, ...FORMS[block.form] };
      const id = callId(number, index);
      return block.form === 'bad_json' ? call(name, {}, id, { json: ['{"value'] }) : call(name, input, id);
    }
  }
}

const FORMS: Readonly<Record<string, { readonly [key: string]: true }>> = {
  rejected: { reject: true },
  invalid: { invalid: true },
};

function endOf(end: PlannedEnd, request: ModelRequest): readonly ScriptPart[] {
  switch (end.end) {
    case 'stop':
      return [];
    case 'cut':
      return [cut()];
    case 'window_full':
      return [windowFull()];
    case 'pause':
      return [pauseTurn()];
    case 'refusal':
      return [refuse()];
    case 'reset':
    case 'throws':
      return [breakOff()];
    case 'closed':
      return [hangUp()];
    case 'stall':
      return [stall()];
    case 'error': {
      const { retryAfterMs, shouldRetry } = end;
      return [
        fail(end.class, {
          ...omitUndefined({ retryAfterMs, shouldRetry }),
          ...(rejectsThinking(end) ? { rejects: 'thinking' as const } : {}),
          ...(end.class === 'refused_block' ? { block: placeIn(request, end.place) } : {}),
        }),
      ];
    }
  }
}

function rejectsThinking(end: Extract<PlannedEnd, { end: 'error' }>): boolean {
  return end.class === 'bad_request' && end.rejectsThinking;
}

function placeIn({ messages }: ModelRequest, place: number): { message: number; block: number } {
  const message = place % Math.max(1, messages.length);
  const blocks = messages.at(message)?.content.length ?? 1;
  return { message, block: Math.floor(place / 7) % Math.max(1, blocks) };
}

/** An answer with a normal end has no open block. */
function isUnfinished({ end: { end }, unfinished, blocks }: PlannedAttempt): boolean {
  const endsByItself = end === 'stop' || end === 'pause' || end === 'refusal';
  return unfinished !== undefined && blocks.length > 0 && !endsByItself;
}

export function* faultsOf(attempt: PlannedAttempt | undefined, hasFallback: boolean): Generator<Fault> {
  if (attempt === undefined) return;
  const { end, blocks } = attempt;
  if (isUnfinished(attempt)) yield 'model: block unfinished';
  if (blocks.length === 0 && end.end === 'stop') yield 'model: empty answer';
  if (blocks.some(({ kind }) => kind === 'blank')) yield 'model: blank text';
  if (blocks.some(({ kind }) => kind === 'foreign')) yield 'model: foreign block';
  for (const block of blocks) {
    const fault = block.kind === 'call' ? BAD_CALLS[block.form] : undefined;
    if (fault !== undefined) yield fault;
  }
  if (end.end !== 'error') {
    const fault = ENDINGS[end.end];
    if (fault !== undefined) yield fault;
    return;
  }
  if (end.class === 'not_found')
    yield hasFallback ? 'model: not_found, fallback' : 'model: not_found, no fallback';
  else yield `model: ${end.class}`;
  if (rejectsThinking(end)) yield 'model: rejects thinking';
  if ((end.retryAfterMs ?? 0) > 600_000) yield 'model: long retry-after';
  if (end.shouldRetry !== undefined) yield 'model: x-should-retry';
}

const BAD_CALLS: Readonly<Record<string, Fault>> = {
  unknown_tool: 'call: unknown tool',
  bad_json: 'call: bad JSON',
  rejected: 'call: input rejected',
  invalid: 'call: input invalid',
};

const ENDINGS: Readonly<Record<string, Fault>> = {
  cut: 'model: cut at the cap',
  window_full: 'model: window full',
  pause: 'model: pause',
  refusal: 'model: refusal',
  reset: 'model: stream reset',
  closed: 'model: stream closed early',
  stall: 'model: stall',
  throws: 'model: port throws',
};
