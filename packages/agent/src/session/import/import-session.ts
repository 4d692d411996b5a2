/** Writes a conversation of another agent as a session of Heddle. The source is not changed. */
import { newSession, type OpenedSession, type OpenSetup } from '../open/open.ts';
import { type ForeignConversation, uuidOf } from './conversation.ts';

/** The same source gives the same id, so that a second import finds the first one. */
export function importedId(agent: string, id: string): string {
  return uuidOf(`${agent}/${id}`);
}

export type Imported =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly message: string };

export function importSession(
  setup: OpenSetup,
  id: string,
  { messages, title }: ForeignConversation,
): Imported {
  if (messages.length === 0) return { ok: false, message: 'The session has no messages.' };
  const opened: OpenedSession = newSession(setup, id);
  if (!opened.ok) return { ok: false, message: opened.message };
  const { journal } = opened.session;
  try {
    for (const message of messages) {
      if (message.type === 'user') journal.append({ type: 'user', message });
      if (message.type === 'assistant') journal.append({ type: 'assistant', message });
    }
    if (title !== undefined) journal.append({ type: 'title', title });
    return { ok: true, id };
  } finally {
    journal.close();
  }
}
