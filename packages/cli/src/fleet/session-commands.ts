/** The commands of `heddle fleet` about sessions. Each prints lines for people, or JSON with `--json`. */
import { isRecord, omitUndefined } from '@heddle/core';
import { type Fleet, questionId, resultText, type Seen } from '@heddle/fleet';
import {
  type ClientChoice,
  type ClientCommands,
  DEFAULT_TENANT,
  type Emit,
  type Report,
} from './client-command.ts';
import { exportSession, importSession } from './move-session.ts';

/** By name. A command returns its last report. */
export const SESSION_COMMANDS: ClientCommands = {
  submit: { words: 'SESSION PROMPT', run: submit },
  watch: {
    words: 'SESSION',
    run: (fleet, [session = ''], { after }, emit) => watch(fleet, session, { after }, emit),
  },
  questions: { words: '', run: questions },
  answer: { words: 'QUESTION allow|deny', run: answer },
  cancel: { words: 'SESSION', run: cancel },
  list: { words: '', run: list },
  export: { words: 'SESSION FILE', run: exportSession },
  import: { words: 'SESSION FILE', run: importSession },
};

async function submit(
  fleet: Fleet,
  [session = '', prompt = '']: readonly string[],
  choice: ClientChoice,
  emit: Emit,
) {
  const { tenant: name = DEFAULT_TENANT, key, by, repo, ref } = choice;
  await fleet.tenant(name);
  await fleet.create(session, name, repo === undefined ? {} : { workspace: { repo, ref } });
  const turn = await fleet.submit(session, prompt, {
    ...omitUndefined({ key }),
    ...(by ? { by } : {}),
  });
  const report = { value: { session, turn }, text: `${session}: turn ${turn} is queued` };
  if (!choice.watch) return report;
  emit(report);
  return watch(fleet, session, { after: 0, untilTurn: turn }, emit);
}

async function watch(
  fleet: Fleet,
  session: string,
  choice: { readonly after: number; readonly untilTurn?: number },
  emit: Emit,
): Promise<Report> {
  const { untilTurn } = choice;
  for await (const seen of fleet.watch(session, choice)) {
    if (untilTurn !== undefined && seen.turn !== untilTurn) continue;
    const { seq, turn, line } = seen;
    const value: unknown = JSON.parse(line);
    emit({ value: { seq, turn, line: value }, text: lineText(seen, value) });
  }
  const ended = untilTurn === undefined ? undefined : await fleet.turn(session, untilTurn);
  const isError = isRecord(ended?.result) && (ended.result['is_error'] === true || 'errors' in ended.result);
  const value = { session, turn: untilTurn, result: ended?.result };
  return { value, text: resultText(ended?.result), code: isError ? 1 : 0 };
}

/** Answers and calls, for people. Other lines have no text. */
function lineText({ kind, turn, agent }: Seen, line: unknown): string {
  if (kind === 'taken' && isRecord(line)) return `  turn ${turn} runs on worker ${String(line['worker'])}`;
  const message = isRecord(line) && isRecord(line['message']) ? line['message'] : {};
  const blocks = Array.isArray(message['content']) ? message['content'].filter(isRecord) : [];
  if (kind !== 'assistant') return '';
  // The text of a subagent is for the model that started it.
  const indent = agent === null ? '' : '  ';
  return blocks
    .map((block) => {
      if (block['type'] === 'text') return agent === null ? String(block['text']) : '';
      return block['type'] === 'tool_use'
        ? `${indent}  ${String(block['name'])} ${JSON.stringify(block['input'])}`
        : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

async function questions(
  fleet: Fleet,
  _words: readonly string[],
  { tenant: name }: ClientChoice,
): Promise<Report> {
  const open = (await fleet.questions(name)).map((question) =>
    Object.assign({ id: questionId(question) }, question),
  );
  const lines = open.map(
    ({ id, tool, input, reason }) => `${id}  ${tool} ${JSON.stringify(input)}\n    ${reason}`,
  );
  return { value: open, text: lines.join('\n') || 'No question is open.' };
}

async function answer(
  fleet: Fleet,
  [id = '', word = '']: readonly string[],
  choice: ClientChoice,
): Promise<Report> {
  if (word !== 'allow' && word !== 'deny') throw new Error('An answer is allow or deny.');
  const question = (await fleet.questions(choice.tenant)).find((open) => questionId(open) === id);
  const { message, by } = choice;
  const given = { allow: word === 'allow', ...omitUndefined({ message }) };
  const isStored = question !== undefined && (await fleet.answer(question, given, by));
  const text = isStored ? `${id}: ${word}` : `${id}: the question is not open`;
  return { value: { question: id, answer: word, stored: isStored }, text, code: isStored ? 0 : 1 };
}

async function cancel(fleet: Fleet, [session = '']: readonly string[]): Promise<Report> {
  const isCanceled = await fleet.cancel(session);
  const text = isCanceled ? `${session}: the turn is being canceled` : `${session}: no turn is open`;
  return { value: { session, canceled: isCanceled }, text, code: isCanceled ? 0 : 1 };
}

async function list(
  fleet: Fleet,
  _words: readonly string[],
  { tenant: name }: ClientChoice,
): Promise<Report> {
  const rows = await fleet.list(name);
  const lines = rows.map(
    ({ id, tenant: of, state, turns, spentUsd }) =>
      `${id}  ${of}  ${state}  ${turns} turns  $${spentUsd.toFixed(4)}`,
  );
  return { value: rows, text: lines.join('\n') || 'There are no sessions.' };
}
