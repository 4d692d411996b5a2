/** The commands of `heddle fleet` about sessions. Each prints lines for people, or JSON with `--json`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CallPlace, isRecord, omitUndefined } from '@heddle/core';
import { type FileLine, type Fleet, questionId, resultText, type Seen } from '@heddle/fleet';
import { childFile, childIdsBeside, childRecordFile } from '@heddle/agent/sessions';
import { findLog } from '../replay/replay.ts';
import {
  type ClientChoice,
  type ClientCommands,
  DEFAULT_TENANT,
  type Emit,
  type Report,
} from './client-command.ts';

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
  const lines = open.map(({ id, tool, input, reason, workingDirectory, places }) =>
    [`${id}  ${tool} ${JSON.stringify(input)}`, placeLine({ tool, workingDirectory, places }), reason]
      .filter((line) => line !== undefined)
      .join('\n    '),
  );
  return { value: open, text: lines.join('\n') || 'No question is open.' };
}

/** Names the file of a call, or the folder of a command. Relative paths in the input may start in any folder. */
function placeLine({
  tool,
  workingDirectory,
  places,
}: CallPlace & { readonly tool: string }): string | undefined {
  const [place] = places ?? [];
  if (place) return `file: ${place.real}`;
  return tool === 'Bash' && workingDirectory !== undefined ? `in: ${workingDirectory}` : undefined;
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

/** `heddle fleet export` and `import`: a session moves between files and the fleet, with the sessions of its subagents. */
async function exportSession(fleet: Fleet, [session = '', file = '']: readonly string[]): Promise<Report> {
  const own: string[] = [];
  const children = new Map<string, { lines: string[]; record: string }>();
  for await (const { agent, line, isRecord } of fleet.lines(session)) {
    if (agent === null) {
      own.push(line);
      continue;
    }
    const child = children.get(agent) ?? { lines: [], record: '' };
    children.set(agent, child);
    if (isRecord) child.record = line;
    else child.lines.push(line);
  }
  if (own.length === 0) throw new Error(`The session ${session} has no lines.`);
  writeLines(file, own);
  for (const [id, { lines, record }] of children) {
    mkdirSync(path.dirname(childFile(file, id)), { recursive: true, mode: 0o700 });
    if (lines.length > 0) writeLines(childFile(file, id), lines);
    writeLines(childRecordFile(file, id), [record]);
  }
  const text = `${own.length} lines written to ${file}`;
  return { value: { session, file, lines: own.length, subagents: children.size }, text };
}

async function importSession(
  fleet: Fleet,
  [session = '', name = '']: readonly string[],
  { tenant: owner = DEFAULT_TENANT }: ClientChoice,
): Promise<Report> {
  const found = findLog(name);
  if (!found.ok) throw new Error(found.message);
  const { file } = found;
  const own = readLines(file);
  const lines: FileLine[] = own.map((line) => ({ agent: null, line, isRecord: false }));
  for (const agent of childIdsBeside(file)) {
    const record: unknown = JSON.parse(readFileSync(childRecordFile(file, agent), 'utf8'));
    lines.push({ agent, line: JSON.stringify(record), isRecord: true });
    lines.push(...readLines(childFile(file, agent)).map((line) => ({ agent, line, isRecord: false })));
  }
  if (lines.some(({ line }) => line.includes('"storedApart":true')))
    throw new Error('The session has outputs in separate files. Such a session cannot be imported yet.');
  await fleet.tenant(owner);
  await fleet.create(session, owner);
  await fleet.addLines(session, lines);
  return { value: { session, lines: own.length }, text: `${session}: ${own.length} lines stored` };
}

function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** A subagent that never began has no file. */
function readLines(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
