/** `heddle fleet export` and `import`: a session moves between files and the fleet, with the sessions of its subagents. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { childFile, childIdsBeside, childRecordFile } from '@heddle/agent/sessions';
import type { FileLine, Fleet } from '@heddle/fleet';
import { findLog } from '../replay/replay.ts';
import { type ClientChoice, DEFAULT_TENANT, type Report } from './client-command.ts';

export async function exportSession(
  fleet: Fleet,
  [session = '', file = '']: readonly string[],
): Promise<Report> {
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

export async function importSession(
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
