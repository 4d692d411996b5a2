/** Finds sessions of other agents on this machine. Only reads. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { textOf } from '@heddle/core';
import { readCodex } from './codex.ts';
import {
  type Fields,
  type ForeignConversation,
  parseLines,
  parseObject,
  recordOf,
  textOfField,
} from './conversation.ts';
import { readOpencode } from './opencode.ts';
import { readPi } from './pi.ts';

export const FOREIGN_AGENTS = ['codex', 'pi', 'opencode'] as const;
export type ForeignAgent = (typeof FOREIGN_AGENTS)[number];

export interface ForeignSession {
  readonly agent: ForeignAgent;
  readonly id: string;
  readonly file: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly changedAt: number;
}

interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Newest first. A folder or file that cannot be read is left out. */
export function findForeignSessions({ home, env }: Places): readonly ForeignSession[] {
  const codex = path.join(env['CODEX_HOME'] || path.join(home, '.codex'), 'sessions');
  const pi = path.join(env['PI_CODING_AGENT_DIR'] || path.join(home, '.pi/agent'), 'sessions');
  const data = env['XDG_DATA_HOME'] || path.join(home, '.local/share');
  const opencode = path.join(data, 'opencode/storage/session');
  const found = [
    ...filesBelow(codex, /^rollout-.*\.jsonl$/).flatMap((file) => described('codex', file)),
    ...filesBelow(pi, /\.jsonl$/).flatMap((file) => described('pi', file)),
    ...filesBelow(opencode, /\.json$/).flatMap((file) => described('opencode', file)),
  ];
  return found.toSorted((one, other) => other.changedAt - one.changedAt);
}

export type ForeignRead =
  | { readonly ok: true; readonly conversation: ForeignConversation; readonly agent: ForeignAgent }
  | { readonly ok: false; readonly message: string };

/** Reads a file of any of these agents. */
export function readForeignSession(file: string): ForeignRead {
  try {
    const text = file.includes(`${path.sep}storage${path.sep}session${path.sep}`)
      ? opencodeExport(file)
      : readFileSync(file, 'utf8');
    const readings = { codex: readCodex(text), pi: readPi(text), opencode: readOpencode(text) };
    for (const agent of FOREIGN_AGENTS) {
      const conversation = readings[agent];
      if (conversation) return { ok: true, conversation, agent };
    }
    return { ok: false, message: `${file} is not a session of ${FOREIGN_AGENTS.join(', ')}.` };
  } catch (thrown) {
    return { ok: false, message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The session of a storage folder in the form that `opencode export` prints. */
function opencodeExport(file: string): string {
  const storage = path.resolve(file, '../../..');
  const info = recordOf(parseObject(readFileSync(file, 'utf8')));
  const partsOf = (kind: string, { id }: Fields) =>
    typeof id === 'string' && STORED_ID.test(id) ? objectsIn(path.join(storage, kind, id)) : [];
  const messages = partsOf('message', info).map((message) => ({
    info: message,
    parts: partsOf('part', message),
  }));
  return JSON.stringify({ info, messages });
}

/** The id is the name of a folder, and must not lead to another one. */
const STORED_ID = /^[\w-]+$/;

/** The JSON files of a folder. Their names are in the order of their creation. */
function objectsIn(folder: string): readonly Fields[] {
  return filesBelow(folder, /\.json$/)
    .toSorted()
    .map((file) => recordOf(parseObject(readFileSync(file, 'utf8'))));
}

/** The facts of a session are at its beginning. */
const HEAD_BYTES = 131_072;

function described(agent: ForeignAgent, file: string): ForeignSession[] {
  try {
    const [first] =
      agent === 'opencode' ? [parseObject(readFileSync(file, 'utf8'))] : parseLines(headOf(file));
    const facts = agent === 'codex' ? recordOf(first?.['payload']) : recordOf(first);
    const id = textOfField(facts['id']);
    if (id === '') return [];
    return [
      {
        agent,
        id,
        file,
        cwd: textOfField(facts['cwd']) || textOfField(facts['directory']),
        title: textOfField(facts['title']) || firstPrompt(agent, file),
        changedAt: statSync(file).mtimeMs,
      },
    ];
  } catch {
    return [];
  }
}

/** The first prompt names a session that has no title. */
function firstPrompt(agent: ForeignAgent, file: string): string | undefined {
  if (agent === 'opencode') return undefined;
  const head = headOf(file);
  const conversation = agent === 'codex' ? readCodex(head) : readPi(head);
  const prompt = conversation?.messages.find((message) => message.type === 'user');
  return (prompt && textOf(prompt.content)) || undefined;
}

function headOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function filesBelow(folder: string, name: RegExp): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && name.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
