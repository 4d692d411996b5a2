/**
 * Checks whether the Messages API accepts a body. Written from the API's documentation and types. It
 * shares no code with `core`: a mistake there must not be repeated here.
 */
import { isRecord } from '@heddle/core';
import { checkBlocks, checkMedia } from './blocks.ts';
import { checkHead, checkReferences, TOOL_NAME } from './head.ts';
import {
  blocksOf,
  isBlankText,
  type JsonFields,
  jsonListOf,
  type PlacedBlock,
  placedFieldsOf,
} from './json.ts';
import { type Report, type RequestViolation, RULES } from './rules.ts';
import type { Signatures } from './signatures.ts';
import { checkThinkingBlocks, checkThinkingSettings } from './thinking.ts';

export interface ValidationOptions {
  /** The last message may be the assistant's: a prefill, or a paused turn that continues. */
  readonly prefill?: boolean;
  /** The server's signatures. Without them, the origin of a signature is not checked. */
  readonly signatures?: Signatures;
  /** Undocumented block types that this server has sent itself. */
  readonly knownBlockTypes?: ReadonlySet<string>;
  /** The size of the sent body. Default: measured. */
  readonly bytes?: number;
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Returns every broken rule. Empty: the API would accept the body. Total: accepts any value. */
export function validateRequest(body: unknown, options: ValidationOptions = {}): RequestViolation[] {
  const violations: RequestViolation[] = [];
  const report: Report = (path, rule, message = RULES[rule]) => void violations.push({ path, rule, message });
  if (!isRecord(body)) {
    report('', 'body-form');
    return violations;
  }
  const bytes = options.bytes ?? Buffer.byteLength(JSON.stringify(body));
  if (bytes > MOST_BYTES) report('', 'request-size', `${bytes} bytes, at most ${MOST_BYTES}`);
  checkHead(body, report);
  checkMessages(body, options.prefill ?? false, report);
  const blocks = blocksOf(body);
  checkBlocks(blocks, options.knownBlockTypes ?? new Set(), report);
  checkReferences(body, blocks, report);
  checkPairing(blocks, report);
  checkThinkingSettings(body, report);
  checkThinkingBlocks(body, blocks, options.signatures, report);
  checkMarks(body, blocks, report);
  checkMedia(blocks, report);
  checkUnicode(body, [], report);
  return violations;
}

/** One line per violation: `messages.1.content.0 result-missing …`. */
export function explainViolations(violations: readonly RequestViolation[]): string {
  return violations.map(({ path, rule, message }) => `${path}  ${rule}  ${message}`).join('\n');
}

/** `trail` is the current position as keys. It is restored when the function returns. */
function checkUnicode(value: unknown, trail: string[], report: Report): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) report(trail.join('.'), 'unicode', 'a lone surrogate');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    trail.push(key);
    if (!key.isWellFormed()) report(trail.join('.'), 'unicode', 'a lone surrogate in a key');
    checkUnicode(inner, trail, report);
    trail.pop();
  }
}

// Checks cache marks: their number, positions and form.

const MOST_MARKS = 4;

function checkMarks(body: JsonFields, blocks: readonly PlacedBlock[], report: Report): void {
  const places = [
    ...placedFieldsOf(body['tools']).map(({ place, fields }) => ({ path: `tools.${place}`, block: fields })),
    ...placedFieldsOf(body['system']).map(({ place, fields }) => ({
      path: `system.${place}`,
      block: fields,
    })),
    ...blocks,
  ];
  let count = 0;
  for (const { path, block } of places) {
    const mark = block['cache_control'];
    if (mark === undefined || mark === null) continue;
    count++;
    if (!isMark(mark)) report(`${path}.cache_control`, 'mark-form');
    const { type, text } = block;
    if (type === 'thinking' || type === 'redacted_thinking' || (type === 'text' && isBlankText(text))) {
      report(`${path}.cache_control`, 'mark-place');
    }
  }
  if (count > MOST_MARKS)
    report('cache_control', 'mark-count', `${count} cache marks, at most ${MOST_MARKS}`);
}

function isMark(mark: unknown): boolean {
  if (!isRecord(mark) || mark['type'] !== 'ephemeral') return false;
  const { ttl, type: _type, ...rest } = mark;
  return (ttl === undefined || ttl === '5m' || ttl === '1h') && Object.keys(rest).length === 0;
}

// Checks the messages as a whole: roles, their order, and that none is empty.

function checkMessages(body: JsonFields, prefill: boolean, report: Report): void {
  const messages = jsonListOf(body['messages']);
  if (messages.length === 0) return report('messages', 'messages');

  let before: unknown;
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    if (!isRecord(message)) {
      report(path, 'role');
      continue;
    }
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant') report(path, 'role');
    if (index === 0 && role !== 'user') report(path, 'first-role');
    if (role === before) report(path, 'alternation', `two messages of ${String(role)} in a row`);
    before = role;
    for (const field of Object.keys(message)) {
      if (field !== 'role' && field !== 'content') report(`${path}.${field}`, 'message-field');
    }
    checkContent(content, path, report);
  }
  checkLast(messages, prefill, report);
}

function checkContent(content: unknown, path: string, report: Report): void {
  if (typeof content === 'string') {
    if (content === '') report(path, 'content');
    else if (isBlankText(content)) report(path, 'empty-text');
    return;
  }
  if (!Array.isArray(content) || content.length === 0) report(path, 'content');
}

function checkLast(messages: readonly unknown[], prefill: boolean, report: Report): void {
  const last = messages.at(-1);
  if (!isRecord(last) || last['role'] !== 'assistant') return;
  const path = `messages.${messages.length - 1}`;
  if (!prefill) report(path, 'last-role');
  const { content } = last;
  const block = jsonListOf(content).at(-1);
  const text = isRecord(block) && block['type'] === 'text' ? block['text'] : content;
  if (typeof text === 'string' && text !== text.trimEnd()) report(path, 'trailing-space');
}

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

function checkPairing(placed: readonly PlacedBlock[], report: Report): void {
  const blocks = placed.filter(({ inResult }) => !inResult);
  const calls = blocks.filter(({ block }) => block['type'] === 'tool_use');
  const results = blocks.filter(({ block }) => block['type'] === 'tool_result');
  checkCalls(calls, report);
  checkResults(results, calls, report);
  checkOrder(blocks, report);

  const answered = new Set(results.map(({ message, block }) => `${message} ${String(block['tool_use_id'])}`));
  for (const { block, message, path } of calls) {
    const id = String(block['id']);
    if (!answered.has(`${message + 1} ${id}`)) {
      report(path, 'result-missing', `tool_use ${id} has no tool_result in the next message`);
    }
  }
}

function checkCalls(calls: readonly PlacedBlock[], report: Report): void {
  const ids = new Set<unknown>();
  for (const { block, path } of calls) {
    const { id, name, input } = block;
    if (typeof id !== 'string' || !TOOL_ID.test(id)) report(`${path}.id`, 'tool-id');
    if (ids.has(id)) report(`${path}.id`, 'tool-id-duplicate', `the id ${String(id)} is used twice`);
    ids.add(id);
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) report(`${path}.name`, 'tool-name');
    if (!isRecord(input)) report(`${path}.input`, 'tool-input');
  }
}

function checkResults(results: readonly PlacedBlock[], calls: readonly PlacedBlock[], report: Report): void {
  const open = new Set(calls.map(({ message, block }) => `${message + 1} ${String(block['id'])}`));
  const answered = new Set<string>();
  for (const { block, message, path } of results) {
    const { tool_use_id: id, content, is_error } = block;
    if (typeof id !== 'string' || !TOOL_ID.test(id)) report(`${path}.tool_use_id`, 'tool-id');
    const key = `${message} ${String(id)}`;
    if (!open.has(key)) report(path, 'result-orphan', `no tool_use ${String(id)} in the message before`);
    if (answered.has(key)) report(path, 'result-duplicate', `a second result for ${String(id)}`);
    answered.add(key);
    if (content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
      report(`${path}.content`, 'result-content');
    }
    if (is_error !== undefined && typeof is_error !== 'boolean') report(`${path}.is_error`, 'result-content');
    const empty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
    if (is_error === true && empty) {
      report(`${path}.content`, 'result-content', 'content cannot be empty if is_error is true');
    }
  }
}

function checkOrder(blocks: readonly PlacedBlock[], report: Report): void {
  let otherIn: number | undefined;
  for (const { block, message, path } of blocks) {
    const isResult = block['type'] === 'tool_result';
    if (isResult && otherIn === message) report(path, 'result-order');
    if (!isResult) otherIn = message;
  }
}
