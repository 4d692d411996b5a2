/** Opens the session that the command line selects. */
import {
  forkSession,
  memorySession,
  newSession,
  type Opened,
  type OpenSetup,
  recallSession,
  resumeSession,
  type Session,
  systemClock,
  VERSION,
  newUuid,
} from '@heddle/agent';
import type { UserMessage } from '@heddle/core';
import type { SessionChoice } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';
import { continuedSession } from './continued-session.ts';
import type { TeamPlace } from './session-team.ts';

type ChosenSession =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

interface SessionWriter {
  readonly team?: TeamPlace | undefined;
  readonly entrypoint?: OpenSetup['entrypoint'];
}

export async function openChosen(
  choice: SessionChoice,
  { team, entrypoint }: SessionWriter = {},
): Promise<ChosenSession> {
  const fresh = choice.id ?? newUuid();
  if (!choice.persist && choice.from.kind === 'new')
    return { ok: true, session: memorySession(fresh, systemClock.now) };
  const setup: OpenSetup = {
    place: sessionPlace(process.env, process.cwd()),
    version: VERSION,
    durability: process.env['HEDDLE_DURABILITY'] === 'power' ? 'power' : 'process',
    now: systemClock.now,
    member: team && { teamName: team.folder.name, agentName: team.member.name },
    entrypoint,
  };
  if (choice.from.kind === 'new') return named(newSession(setup, fresh), fresh);
  const id = continuedSession(choice.from, setup.place);
  if (id === undefined)
    return { ok: false, message: 'There is no conversation to continue in this folder.', sessionId: fresh };
  const objection = objectionToDrop(setup, choice, id);
  if (objection !== undefined) return { ok: false, message: objection, sessionId: id };
  const opened = openEarlier(setup, choice, id, fresh);
  if (opened.ok || !opened.isUnknown) return named(opened, id);
  const { meantSession } = await import('../sessions/pick.ts');
  const meant = meantSession(id, setup.place);
  return meant.ok ? named(openEarlier(setup, choice, meant.id, fresh), meant.id) : named(meant, id);
}

function openEarlier(
  setup: OpenSetup,
  { persist, fork, at }: SessionChoice,
  id: string,
  fresh: string,
): Opened {
  // Without persistence the session continues in memory, and its file stays unchanged.
  if (!persist) return recallSession(setup, id, fork ? fresh : id, { at });
  return fork ? forkSession(setup, id, fresh, { at }) : resumeSession(setup, id, { at });
}

/** A host may say which turn it means to drop. Everything behind that point must belong to it. */
function objectionToDrop(setup: OpenSetup, { at, dropsTurn }: SessionChoice, id: string): string | undefined {
  if (at === undefined || dropsTurn === undefined) return undefined;
  const recalled = recallSession(setup, id, id);
  if (!recalled.ok) return undefined;
  const messages = [...recalled.session.projection.messages];
  const dropped = messages.slice(messages.findIndex(({ uuid }) => uuid === at) + 1);
  const prompts = dropped.filter((message) => message.type === 'user' && !isToolResult(message));
  const other = prompts.find(({ uuid }) => uuid !== dropsTurn);
  return (
    other && `Resume rejected by --resume-drops-turn: the message ${other.uuid} belongs to another turn.`
  );
}

function isToolResult({ content, isMeta }: UserMessage): boolean {
  return (
    isMeta === true || (typeof content !== 'string' && content.some(({ type }) => type === 'tool_result'))
  );
}

function named(
  opened: Opened | { readonly ok: false; readonly message: string },
  sessionId: string,
): ChosenSession {
  return opened.ok ? opened : { ok: false, message: opened.message, sessionId };
}
