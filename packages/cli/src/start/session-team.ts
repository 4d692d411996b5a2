/** The part of a conversation in a team: as its lead, from TeamCreate on, or as a member. Without a team, it costs nothing. */
import { createTeamTools, type NewTeam, withTeamTasks } from '@heddle/agent';
import type { RunTeamHooks, TeamFolder, TeamMember, TeamSession } from '@heddle/agent/teams';
import type { LoopEvent, QueuedCommand, Tool } from '@heddle/core';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configDir } from '../config-dir.ts';
import { spawnDetached } from './detached-process.ts';

export interface TeamPlace {
  readonly folder: TeamFolder;
  readonly member: TeamMember;
}

/** A member has them in every request. */
export const MEMBER_TOOLS: readonly string[] = ['TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList'];

interface SessionTeamSetup {
  readonly sessionId: string;
  readonly cwd: string;
  /** The flags of the members. They have the limits of this run. */
  readonly flags: () => readonly string[];
  readonly runHooks: RunTeamHooks;
}

export function teamsFolder(): string {
  return path.join(configDir(process.env), 'teams');
}

export class SessionTeam {
  readonly #setup: SessionTeamSetup;
  readonly tools: readonly Tool[];
  /** Undefined while the conversation is not part of a team. */
  session: TeamSession | undefined;

  constructor(setup: SessionTeamSetup) {
    this.#setup = setup;
    const current = (): TeamSession | undefined => this.#current;
    this.tools = createTeamTools({
      current,
      create: (team) => this.#create(team),
      remove: async () => this.#remove(),
    });
  }

  readonly withTasks = (own: readonly Tool[]): readonly Tool[] => withTeamTasks(own, () => this.#current);

  /** Joins as a member, or finds the team that this session leads. */
  async open(place: TeamPlace | undefined): Promise<void> {
    if (!place && !existsSync(teamsFolder())) return;
    const { listTeams, TeamSession: Session } = await import('@heddle/agent/teams');
    const { sessionId, runHooks } = this.#setup;
    if (place) this.session = new Session(place.folder, place.member, runHooks);
    const led = place
      ? undefined
      : listTeams(teamsFolder()).find(({ about }) => about?.leadSession === sessionId);
    if (led) this.session = new Session(led, undefined, runHooks);
  }

  /** Messages for the main conversation. Subagents are not members. */
  takeQueued(agentId: string | undefined): readonly QueuedCommand[] {
    return agentId === undefined ? (this.#current?.takeQueued() ?? []) : [];
  }

  hear(event: LoopEvent): void {
    this.#current?.hear(event);
  }

  /** Undefined: the conversation is not part of a team. */
  async atTurnEnd(
    question: Parameters<TeamSession['atTurnEnd']>[0],
  ): Promise<Awaited<ReturnType<TeamSession['atTurnEnd']>> | undefined> {
    return this.#current?.atTurnEnd(question);
  }

  has(name: string): boolean {
    return (this.#current?.receivers(name).length ?? 0) > 0;
  }

  send(to: string, message: string): readonly string[] {
    return this.#current?.send(to, message) ?? [];
  }

  /** A team that was removed is left. */
  get #current(): TeamSession | undefined {
    if (this.session?.folder.exists === false) this.session = undefined;
    return this.session;
  }

  async #create({ name, description, members }: NewTeam): Promise<void> {
    if (this.#current) throw new Error(`This conversation is part of the team ${this.#current.folder.name}.`);
    const { TeamFolder: Folder, TeamSession: Session } = await import('@heddle/agent/teams');
    const { sessionId, runHooks, cwd, flags } = this.#setup;
    const folder = new Folder(teamsFolder(), name);
    if (!(await folder.create(description, Date.now(), sessionId)))
      throw new Error(`There is a team ${name}. Choose another name.`);
    const missing = await startMembers(folder, members, { cwd, flags: flags() });
    if (missing.length > 0) {
      folder.remove();
      throw new Error(`These members did not start: ${missing.join(', ')}.`);
    }
    this.session = new Session(folder, undefined, runHooks);
  }

  #remove(): void {
    this.#current?.folder.remove();
    this.session = undefined;
  }
}

const START_MS = 20_000;
const LOOK_AGAIN_MS = 50;

/** Starts each member in a process of its own. Returns the names of those that did not join. */
export async function startMembers(
  folder: TeamFolder,
  names: readonly string[],
  { cwd, flags }: { readonly cwd: string; readonly flags: readonly string[] },
): Promise<readonly string[]> {
  const logs = path.join(folder.path, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  for (const name of names)
    spawnDetached(['team', 'member', folder.name, name, '--', ...flags], {
      cwd,
      log: path.join(logs, `${name}.log`),
    })
      .on('error', () => undefined)
      .unref();
  const missing = (): readonly string[] => {
    const present = new Set(folder.members().map(({ name }) => name));
    return names.filter((name) => !present.has(name));
  };
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && missing().length > 0; )
    await delay(LOOK_AGAIN_MS);
  return missing();
}
