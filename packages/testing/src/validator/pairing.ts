/** Checks that tool calls and results are paired. */
import { isRecord } from '@heddle/core';
import { TOOL_NAME } from './head.ts';
import { type PlacedBlock } from './json.ts';
import type { Report } from './rules.ts';

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

export function checkPairing(placed: readonly PlacedBlock[], report: Report): void {
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
