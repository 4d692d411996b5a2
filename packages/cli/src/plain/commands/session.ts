/** `/clear`, `/resume`, `/sessions`, `/rename` and `/export`. */
import { listSessions } from '@heddle/agent/sessions';
import { sessions as sessionsCommand } from '../../sessions/sessions.ts';
import { harmless } from '../../terminal/harmless.ts';
import { pickDialog, sessionLines } from '../session/pick.ts';
import type { Chat } from './command.ts';

export async function clear({ moveTo, say, started }: Chat): Promise<void> {
  const before = started.agent.sessionId;
  const problem = await moveTo({ kind: 'new' });
  say(problem === undefined ? `A new session. The one before: /resume ${before}` : harmless(problem));
}

export async function resume(words: string, chat: Chat): Promise<void> {
  const { say, ask, moveTo, configDir, cwd, started } = chat;
  const others = listSessions({ configDir, cwd }).filter(({ id }) => id !== started.agent.sessionId);
  if (words === '' && others.length === 0) return say('There is no other session in this folder.');
  const id = words === '' ? await ask(pickDialog(others, chat.style, Date.now())) : words;
  if (id === undefined) return;
  if (id === started.agent.sessionId) return say('That is this session.');
  const problem = await moveTo({ kind: 'resume', id });
  if (problem !== undefined) say(harmless(problem));
}

export function sessions({ say, configDir, cwd, style, started }: Chat): void {
  const all = listSessions({ configDir, cwd });
  if (all.length === 0) return say('There is no session in this folder yet.');
  say(sessionLines(all, style, Date.now(), started.agent.sessionId).join('\n'));
}

export function rename(words: string, { started, say }: Chat): void {
  const { journal } = started.session;
  if (journal.path === undefined) return say('This session is kept nowhere, so it needs no name.');
  if (started.agent.messages.length === 0) return say('Say something first: an empty session has no name.');
  journal.append({ type: 'title', title: words });
  say(words === '' ? 'The name is taken back.' : `This session is called ${harmless(words)}.`);
}

export async function exportTo(words: string, { started, say }: Chat): Promise<void> {
  const { session, agent } = started;
  if (session.journal.path === undefined)
    return say('This session is kept nowhere, so it cannot be exported.');
  const file = words === '' ? `heddle-${agent.sessionId.slice(0, 8)}.md` : words;
  const format = /\.html?$/i.test(file) ? 'html' : /\.json$/i.test(file) ? 'json' : 'markdown';
  const code = await sessionsCommand(['export', agent.sessionId, '--format', format, '--output', file]);
  if (code === 0) say(`The conversation is in ${harmless(file)}.`);
}
