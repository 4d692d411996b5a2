/** What is shown of a session that was opened: what there is to say about it, and the end of its conversation. */
import type { AgentSetup } from '../../headless/agent-options.ts';
import type { Started } from '../../headless/start.ts';
import { harmless } from '../../terminal/harmless.ts';
import { nearPath } from '../render/call.ts';
import type { Piece } from '../render/piece.ts';
import { tailPieces } from '../render/tail.ts';
import type { Style } from '../style.ts';
import { instructionFiles } from './instruction-files.ts';

export function sessionStart(
  { agent, session, notices, userContext }: Started,
  { cwd, sandboxSettings }: Pick<AgentSetup, 'cwd' | 'sandboxSettings'>,
  style: Style,
): Piece[] {
  const messages = [...agent.messages];
  const files = instructionFiles(userContext).map((file) => nearPath(file, cwd));
  const inForce = [
    ...(files.length > 0 ? [`instructions: ${files.join(', ')}`] : []),
    ...(sandboxSettings?.enabled ? ['sandbox on'] : []),
  ];
  const notes = [...(inForce.length > 0 ? [inForce.join('; ')] : []), ...notices];
  return [
    ...notes.map((note): Piece => ({ kind: 'line', text: style.paint('dim', `  (${harmless(note)})`) })),
    ...(messages.length > 0 ? tailPieces(messages, session.projection.openCalls.length, style) : []),
  ];
}
