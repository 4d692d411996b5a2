/** Checks the messages as a whole: roles, their order, and that none is empty. */
import { isRecord } from '@heddle/core';
import { type Fields, isBlank, listOf } from './json.ts';
import type { Report } from './rules.ts';

export function checkMessages(body: Fields, prefill: boolean, report: Report): void {
  const messages = listOf(body['messages']);
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
    else if (isBlank(content)) report(path, 'empty-text');
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
  const block = listOf(content).at(-1);
  const text = isRecord(block) && block['type'] === 'text' ? block['text'] : content;
  if (typeof text === 'string' && text !== text.trimEnd()) report(path, 'trailing-space');
}
