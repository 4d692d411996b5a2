/** `heddle import`: lists the sessions of other agents, or converts one of them into a session of Heddle. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock, VERSION } from '@heddle/agent';
import {
  findForeignSessions,
  FOREIGN_AGENTS,
  type ForeignSession,
  importedId,
  importSession,
  readForeignSession,
} from '@heddle/agent/sessions';
import { configDir } from '../config-dir.ts';
import { cutTo, fill, oneLine } from '../terminal/width.ts';
import { agoText } from './text/units.ts';
import { pluralize } from '../terminal/amounts.ts';
import { jsonText, shellQuoted } from '../terminal/escape-controls.ts';
import { fail, misuse, writeMessage } from '../terminal/write-message.ts';

const USAGE =
  'usage: heddle import [ID|FILE] [--all] [--json]; without ID it lists the sessions of other agents';
const FLAGS: ReadonlySet<string> = new Set(['--all', '--json']);

export async function importCommand(argv: readonly string[]): Promise<number> {
  const [name, ...more] = argv.filter((word) => !FLAGS.has(word));
  if (more.length > 0 || name?.startsWith('-') === true) return misuse(USAGE);
  const json = argv.includes('--json');
  const found = findForeignSessions({ home: os.homedir(), env: process.env });
  if (name === undefined) return list(found, { all: argv.includes('--all'), json });
  const file = fileOf(name, found);
  return file.ok ? convert(file.file, json) : fail(file.message);
}

function list(
  found: readonly ForeignSession[],
  { all, json }: { readonly all: boolean; readonly json: boolean },
): number {
  const shown = all ? found : found.filter(({ cwd }) => cwd === process.cwd());
  if (json) {
    const sessions = shown.map(({ changedAt, ...rest }) => ({
      ...rest,
      changedAt: new Date(changedAt).toISOString(),
    }));
    writeMessage(`${jsonText(sessions, 2)}\n`);
    return 0;
  }
  if (shown.length === 0) {
    const where = all ? 'on this machine' : 'of this folder';
    const hint = !all && found.length > 0 ? ` To list all ${found.length}, use: heddle import --all` : '';
    writeMessage(`There are no sessions ${where} of ${FOREIGN_AGENTS.join(', ')}.${hint}\n`);
    return 0;
  }
  const now = Date.now();
  for (const { agent, id, title = '', cwd, changedAt } of shown) {
    const place = all ? `  ${oneLine(cwd)}` : '';
    const columns = [
      fill(agent, 8),
      oneLine(id),
      fill(agoText(changedAt, now), 12),
      cutTo(oneLine(title), 60),
    ];
    writeMessage(`${columns.join('  ')}${place}\n`);
  }
  writeMessage('To continue one in Heddle, use: heddle import ID\n');
  return 0;
}

type FoundFile =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

/** An id, the beginning of an id, or a file. */
function fileOf(name: string, found: readonly ForeignSession[]): FoundFile {
  const matches = name.length < 4 ? [] : found.filter(({ id }) => id.startsWith(name));
  const [only, ...others] = matches;
  if (only && others.length === 0) return { ok: true, file: only.file };
  if (only) {
    const ids = matches.map(({ agent, id }) => `  ${agent}  ${oneLine(id)}`).join('\n');
    return { ok: false, message: `${oneLine(name)} matches several sessions:\n${ids}` };
  }
  if (existsSync(name)) return { ok: true, file: path.resolve(name) };
  return {
    ok: false,
    message: `There is no session or file ${oneLine(name)}. To list sessions, use: heddle import --all`,
  };
}

function convert(file: string, json: boolean): number {
  const read = readForeignSession(file);
  if (!read.ok) return fail(oneLine(read.message));
  const { conversation, agent } = read;
  const cwd = existsSync(conversation.cwd) ? conversation.cwd : process.cwd();
  const id = importedId(agent, conversation.id);
  const setup = {
    place: { configDir: configDir(process.env), cwd },
    version: VERSION,
    durability: 'process',
    now: systemClock.now,
  } as const;
  const imported = importSession(setup, id, conversation);
  if (!imported.ok) return fail(imported.message);
  const omitted = [...conversation.omitted].map(([what, count]) => `${count} × ${oneLine(what)}`);
  if (json) {
    writeMessage(`${jsonText({ id, agent, cwd, messages: conversation.messages.length, omitted }, 2)}\n`);
    return 0;
  }
  // A name with control characters cannot be printed as a command.
  const isPrintable = oneLine(cwd) === cwd;
  const place = cwd === process.cwd() ? '' : `cd ${isPrintable ? shellQuoted(cwd) : 'FOLDER'} && `;
  writeMessage(
    [
      `Imported ${pluralize(conversation.messages.length, 'message')} of ${agent}. The original is unchanged.`,
      ...(cwd === conversation.cwd
        ? []
        : [`Its folder ${oneLine(conversation.cwd)} does not exist. The session belongs to this folder.`]),
      ...(omitted.length === 0 ? [] : [`Not carried over: ${omitted.join(', ')}.`]),
      `To continue it, use: ${place}heddle --resume ${id}`,
      '',
    ].join('\n'),
  );
  return 0;
}
