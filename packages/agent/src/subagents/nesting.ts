/** Subagents that start others: how deep they may, and how many run at each depth. */
import { Semaphore, type Tool } from '@heddle/core';
import { type AgentDefinition, agentHasTool } from '../agents/definition.ts';
import type { SubagentSettings } from '../engine/options.ts';
import type { Session } from '../session/open/open.ts';
import type { ChildRecord } from './record.ts';

/** The subagents that one conversation starts, and their place in the tree below the main conversation. */
export interface SubagentLevel {
  /** 1: they are started by the main conversation. */
  readonly depth: number;
  /** The subagent that starts them. Undefined: the main conversation. */
  readonly parentId?: string | undefined;
  /** The main session. The sessions of all subagents are stored beside it. */
  readonly home: () => Session;
  /** The model of the main conversation. */
  readonly mainModel: () => string;
  /**
   * One for each depth that is allowed. The whole tree shares them. A subagent keeps its slot while it waits for one of a
   * greater depth. So each depth has slots of its own, and no two can wait for each other.
   */
  readonly slots: readonly Semaphore[];
  /** The conversation that starts them works in a git worktree, which they share. */
  readonly isInWorktree: boolean;
}

const DEFAULT_CONCURRENT = 10;
/** Each depth multiplies the number of agents, so a larger limit is a mistake. */
const MAX_DEPTH = 5;

export function mainLevel(
  { maxConcurrent = DEFAULT_CONCURRENT, maxDepth = 1 }: SubagentSettings,
  { home, mainModel }: Pick<SubagentLevel, 'home' | 'mainModel'>,
): SubagentLevel {
  const depths = Math.max(1, Math.min(maxDepth, MAX_DEPTH));
  const slots = Array.from({ length: depths }, () => new Semaphore(maxConcurrent));
  return { depth: 1, home, mainModel, slots, isInWorktree: false };
}

/** The level of the subagents that this one may start. Undefined: it may start none. */
export function levelBelow(
  level: SubagentLevel,
  { agentId, worktree }: ChildRecord,
  definition: AgentDefinition,
  tools: readonly Pick<Tool, 'name'>[],
): SubagentLevel | undefined {
  if (level.depth >= level.slots.length) return undefined;
  if (!agentHasTool(definition, 'Agent') || !tools.some(({ name }) => name === 'Agent')) return undefined;
  return {
    ...level,
    depth: level.depth + 1,
    parentId: agentId,
    isInWorktree: level.isInWorktree || worktree !== undefined,
  };
}

/** A subagent waits for those that it starts, so none of them outlives it. It is not a member of a team. */
export function settingsBelow(settings: SubagentSettings): SubagentSettings {
  return { ...settings, waitsForAll: true, teammates: undefined };
}
