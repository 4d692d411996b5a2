/** What is shown of a session that was opened: what there is to say about it, and the end of its conversation. */
import type { Started } from '../../headless/start.ts';
import { harmless } from '../../terminal/harmless.ts';
import { tailLines } from '../render/tail.ts';
import type { Style } from '../style.ts';

export function sessionStart({ agent, session, notices }: Started, style: Style): string[] {
  const messages = [...agent.messages];
  return [
    ...notices.map((notice) => style.paint('dim', `  (${harmless(notice)})`)),
    ...(messages.length > 0 ? tailLines(messages, session.projection.openCalls.length, style) : []),
  ];
}
