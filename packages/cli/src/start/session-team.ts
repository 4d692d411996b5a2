/** The part of a conversation in a team: as its lead, from TeamCreate on, or as a member. Without a team, it costs nothing. */
import { createTeamTools, type NewTeam, withTeamTasks } from '@heddle/agent';
import type {
  LeadInbox,
  MemberRestarts,
  RunTeamHooks,
  TeamFolder,
  TeamMember,
  TeamSession,
} from '@heddle/agent/teams';
import type { LoopEvent, Message, QueuedPrompt, Tool } from '@heddle/core';
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
  /** The conversation when it was opened. */
  readonly messages: Iterable<Message>;
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
  /** Undefined while the conversation leads no team. */
  #inbox: LeadInbox | undefined;
  #restarts: MemberRestarts | undefined;

  constructor(setup: SessionTeamSetup) {
    this.#setup = setup;
    const current = (): TeamSession | undefined => this.#current;
    this.tools = createTeamTools({
      current,
      create: (team, signal) => this.#create(team, signal),
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
    if (!led) return;
    await led.continueLead();
    await this.#lead(led, false);
    this.promptStored(this.#setup.messages);
  }

  async #lead(folder: TeamFolder, isNew: boolean): Promise<void> {
    const {
      LeadInbox: Inbox,
      MemberRestarts: Restarts,
      TeamSession: Session,
    } = await import('@heddle/agent/teams');
    this.session = new Session(folder, undefined, this.#setup.runHooks);
    this.#inbox = new Inbox(this.session, isNew);
    this.#restarts = new Restarts();
  }

  /**
   * Waits until the team has a prompt for the idle lead. Without `keepsWaiting`, only as long as a member works. False: there
   * is none. A caller that submits it calls `takePrompt`.
   */
  async untilPrompt(
    signal: AbortSignal,
    { keepsWaiting }: { readonly keepsWaiting: boolean },
  ): Promise<boolean> {
    return (this.#current && (await this.#inbox?.untilReady(signal, keepsWaiting))) ?? false;
  }

  /** Takes the prompt that is ready. Undefined if there is none any more. */
  takePrompt(): string | undefined {
    return this.#current && this.#inbox?.take();
  }

  /** The conversation leads a team, so a prompt may come from there. */
  get leads(): boolean {
    return this.#current !== undefined && this.#inbox !== undefined;
  }

  /** Acknowledges the messages that a stored prompt contains. */
  promptStored(messages: Iterable<Message>): void {
    const { folder, name } = this.#current ?? {};
    if (folder && name !== undefined) folder.mailbox(name).settle(messages);
  }

  /** Messages for the main conversation. Subagents are not members. */
  takeQueued(agentId: string | undefined): readonly QueuedPrompt[] {
    return agentId === undefined ? (this.#current?.takeQueued() ?? []) : [];
  }

  observe(event: LoopEvent): void {
    this.#current?.observe(event);
  }

  /** Undefined: the conversation is not part of a team. */
  async atTurnEnd(
    question: Parameters<TeamSession['atTurnEnd']>[0],
  ): Promise<Awaited<ReturnType<TeamSession['atTurnEnd']>> | undefined> {
    if (this.leads) await this.#restartMembers(question.signal);
    return this.#current?.atTurnEnd(question);
  }

  /** Members of a resumed lead, and members that were killed, start again if there is work or mail for them. */
  async #restartMembers(signal: AbortSignal): Promise<void> {
    const { folder } = this.#current ?? {};
    if (!folder) return;
    const { hasWork } = await import('@heddle/agent/teams');
    const list = folder.tasks();
    const hasTasks = hasWork(list, (name) => folder.isMember(name));
    const isNeeded = (name: string): boolean => hasTasks || folder.mailbox(name).waiting().length > 0;
    const completed = (name: string): number =>
      list.tasks.filter(({ status, owner }) => status === 'completed' && owner === name).length;
    const wanted = this.#restarts?.choose(folder.endedMembers(), isNeeded, completed) ?? [];
    if (wanted.length === 0) return;
    const { cwd, flags } = this.#setup;
    let current: readonly string[];
    try {
      current = flags();
    } catch {
      // The members would not have the limits of this run.
      return;
    }
    await startMembers(folder, wanted, { cwd, flags: current, signal });
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

  async #create({ name, description, members }: NewTeam, signal: AbortSignal): Promise<void> {
    if (this.#current) throw new Error(`This conversation is part of the team ${this.#current.folder.name}.`);
    const { TeamFolder: Folder } = await import('@heddle/agent/teams');
    const { sessionId, cwd, flags } = this.#setup;
    const inherited = flags();
    const folder = new Folder(teamsFolder(), name);
    if (!(await folder.create(description, Date.now(), sessionId)))
      throw new Error(`There is a team ${name}. Choose another name.`);
    const missing = await startMembers(folder, members, { cwd, flags: inherited, signal });
    if (missing.length > 0) {
      await folder.remove();
      throw new Error(`These members did not start: ${missing.join(', ')}.`);
    }
    await this.#lead(folder, true);
  }

  async #remove(): Promise<void> {
    await this.#current?.folder.remove();
    this.session = undefined;
    this.#inbox = undefined;
  }
}

const START_MS = 20_000;
const LOOK_AGAIN_MS = 50;

interface MemberStart {
  readonly cwd: string;
  readonly flags: readonly string[];
  /** Ends the wait for the members. Those that were started run on. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts each member in a process of its own. Returns the names of those that did not join. */
export async function startMembers(
  folder: TeamFolder,
  names: readonly string[],
  { cwd, flags, signal }: MemberStart,
): Promise<readonly string[]> {
  if (signal?.aborted) return names;
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
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && missing().length > 0; ) {
    if (signal?.aborted) break;
    await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  return missing();
}
