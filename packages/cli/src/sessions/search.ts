/** `heddle sessions search`: prints each hit when it is found, newest session first. */
import { type Hit, textMatcherOf, searchSessions, openSummaries } from '@heddle/agent/sessions';
import { packagedRipgrep } from '@heddle/tools/engines';
import { jsonText } from '../terminal/escape-controls.ts';
import { warn, writeMessage } from '../terminal/write-message.ts';
import { place } from './pick.ts';
import { cutTo, oneLine, widthOf } from '../terminal/width.ts';
import { minuteText } from './text/units.ts';
import type { SessionsCommand } from './parse-command.ts';

type SearchCommand = Extract<SessionsCommand, { name: 'search' }>;

/** Returns the exit code, like grep: 0 with hits, 1 without hits, 2 if the search is invalid. */
export async function search(command: SearchCommand): Promise<number> {
  const made = textMatcherOf(command.words, command.regex);
  if (!made.ok) {
    warn(made.message);
    return 2;
  }
  const program = await packagedRipgrep();
  const { cwd, ...roots } = place();
  const hits = searchSessions({
    ...roots,
    cwd: command.all ? undefined : cwd,
    matcher: made.matcher,
    ripgrep: program === undefined ? undefined : { program },
  });
  const summaries = openSummaries(roots.configDir);
  let found = 0;
  let session = '';
  for await (const hit of hits) {
    if (command.json) writeMessage(`${jsonText(asJson(hit))}\n`);
    else {
      if (hit.session.path !== session)
        writeMessage(heading(summaries.of(hit.session)?.title ?? '', hit.session.id, found === 0));
      session = hit.session.path;
      writeMessage(`${rowOf(hit)}\n`);
    }
    found++;
    if (found === command.limit) break;
  }
  summaries.close();
  if (found === 0 && !command.json)
    warn(
      command.all
        ? 'Nothing was found.'
        : 'Nothing was found in the sessions of this folder. To search all sessions, use --all.',
    );
  return found > 0 ? 0 : 1;
}

function asJson({ session, uuid, at, role, line, start, end, more }: Hit): object {
  return {
    sessionId: session.id,
    path: session.path,
    uuid,
    at: new Date(at).toISOString(),
    role,
    line,
    start,
    end,
    more,
  };
}

function heading(title: string, id: string, isFirst: boolean): string {
  return `${isFirst ? '' : '\n'}${bold(oneLine(title))}  ${id}\n`;
}

const DEFAULT_WIDTH = 100;
/** The number of characters to show before a match. */
const MAX_BEFORE = 30;

function rowOf({ at, role, line, start, end, more }: Hit): string {
  const head = `  ${minuteText(at)}  ${role.padEnd(9)}  `;
  const tail = more > 0 ? `  (+${more})` : '';
  const available = (process.stdout.columns ?? DEFAULT_WIDTH) - head.length - tail.length;
  const before = oneLine(`${line.slice(0, start)}|`).slice(0, -1);
  const from = before.length > MAX_BEFORE ? `…${before.slice(-MAX_BEFORE)}` : before;
  const match = cutTo(inner(line.slice(start, end)), Math.max(8, available - widthOf(from)));
  const after = cutTo(inner(line.slice(end)), Math.max(0, available - widthOf(from) - widthOf(match)));
  return `${head}${from}${bold(match)}${after}${tail}`;
}

/** Makes part of a line printable, and keeps the spaces at both ends. */
function inner(text: string): string {
  return oneLine(`|${text}|`).slice(1, -1);
}

function bold(text: string): string {
  const isPlain = !process.stdout.isTTY || process.env['NO_COLOR'] !== undefined;
  return isPlain || text === '' ? text : `\u001b[1m${text}\u001b[22m`;
}
