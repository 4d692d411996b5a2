/** A conversation as its subagents see it: the options and facts that they inherit, and the budget that they share. */
import type { Message, PermissionMode, SessionSnapshot } from '@heddle/core';
import type { ParentCosts } from '../cost/cost-tracker.ts';
import type { LivePermissions } from '../permission/live-permissions.ts';
import type { Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';

export interface ParentAgent {
  readonly options: AgentOptions;
  /** The system prompt, instructions and facts that the session started with. */
  readonly head: SessionSnapshot;
  readonly session: Session;
  readonly permissions: LivePermissions;
  readonly permissionMode: () => PermissionMode;
  readonly costs: ParentCosts;
  /** The messages as they were last sent, and those since then, without calls that have no result. */
  readonly conversation: () => readonly Message[];
}
