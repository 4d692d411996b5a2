/** `/clear`, `/resume`, `/sessions`, `/rename` and `/export`. */
import { sessionPlace } from '../config-dir.ts';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { listSessions } from '@heddle/agent/sessions';
import { errorMessage } from '@heddle/core';
import { exportText } from '../sessions/export/export.ts';
import { writePrivateFile } from '../sessions/export/write-private-file.ts';
import { pick } from '../sessions/pick.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { shortened } from '../terminal/amounts.ts';
import { type PickedSession, pickSession, sessionLines } from './pick-session.ts';
import type { Chat } from './command.ts';

export async function clear({ moveTo, say, started }: Chat): Promise<void> {
  const before = started.agent.sessionId;
  const problem = await moveTo({ kind: 'new' });
  say(
    problem === undefined
      ? `A new session. The one before: /resume ${before.slice(0, 8)}`
      : escapeControls(problem),
  );
}

export async function resumeSlash(words: string, chat: Chat): Promise<void> {
  const { say, ask, moveTo, cwd, started, style, hasRegion = false } = chat;
  const open = started.agent.sessionId;
  const isEverywhere = words.toLowerCase() === 'all';
  const place = sessionPlace(process.env, cwd);
  const scope = isEverywhere ? 'everywhere' : 'here';
  const picked: PickedSession =
    words === '' || isEverywhere
      ? await pickSession({ place, style, scope, open }, { ask, hasRegion })
      : { kind: 'one', id: words };
  switch (picked.kind) {
    case 'dismissed':
      return;
    case 'none':
      return say(
        `There is no other session${isEverywhere ? '' : ' in this folder; /resume all lists all folders'}.`,
      );
    case 'elsewhere':
      return say(picked.message);
    case 'one': {
      if (picked.id === open) return say('That is this session.');
      const problem = await moveTo({ kind: 'resume', id: picked.id });
      if (problem !== undefined) say(escapeControls(problem));
    }
  }
}

export function sessionsSlash({ say, cwd, style, started }: Chat): void {
  const all = listSessions(sessionPlace(process.env, cwd));
  if (all.length === 0) return say('There is no session in this folder yet.');
  say(sessionLines(all, style, Date.now(), started.agent.sessionId).join('\n'));
}

export function renameSlash(words: string, chat: Chat): void {
  const { started, say } = chat;
  const { journal } = started.session;
  if (journal.path === undefined) return say('This session is kept nowhere, so it needs no name.');
  if (started.agent.messages.length === 0) return say('Say something first: an empty session has no name.');
  if (words === '') return say(`${titleOf(chat)} Another one: /rename TITLE, none: /rename ${NO_NAME}`);
  journal.append({ type: 'title', title: words === NO_NAME ? '' : words });
  say(words === NO_NAME ? 'The name is removed.' : `This session is called ${escapeControls(words)}.`);
}

/** Removes the name. Users do not choose it as a title, and do not type it by accident. */
const NO_NAME = '-';

function titleOf({ started, configDir, cwd }: Chat): string {
  const { sessionId } = started.agent;
  const found = listSessions({ configDir, cwd }).find(({ id }) => id === sessionId);
  return found ? `This session is called ${escapeControls(shortened(found.title, 60))}.` : 'It has no name.';
}

export async function exportTo(words: string, { started, say, configDir }: Chat): Promise<void> {
  const { session, agent } = started;
  if (session.journal.path === undefined)
    return say('This session is kept nowhere, so it cannot be exported.');
  if (agent.messages.length === 0) return say('Say something first: there is nothing to export.');
  const file = words === '' ? await usualFile(configDir, agent.sessionId) : words;
  const format = /\.html?$/i.test(file) ? 'html' : /\.json$/i.test(file) ? 'json' : 'markdown';
  const picked = pick(agent.sessionId);
  if (!picked.ok) return say(escapeControls(picked.message));
  try {
    writePrivateFile(file, exportText(format, picked.session));
    say(`The conversation is in ${escapeControls(file)}.`);
  } catch (thrown) {
    const why = errorMessage(thrown);
    say(escapeControls(`${file} cannot be written: ${why}`));
  }
}

/** Not in the project: a whole conversation is private, and would turn up among the changes. */
async function usualFile(configDir: string, sessionId: string): Promise<string> {
  const folder = path.join(configDir, 'exports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return path.join(folder, `heddle-${sessionId.slice(0, 8)}.md`);
}
