/**
 * The folder of a team: `team.json`, `tasks.json`, one file for each member, and a mailbox for each name. Only the user can read it.
 * Changes of the task list hold the lock of the folder. The kernel releases it with its process, so a killed member blocks no other.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { isAlive, stampOf } from '../jobs/job-folder.ts';
import { processStampSchema } from '../jobs/job-state.ts';
import { makeFolder, takeLock } from '../session/files/lock.ts';
import { readJson, writeJson } from '../settings/json-file.ts';
import { Mailbox } from './mailbox.ts';
import {
  type Claim,
  EMPTY_LIST,
  hasWork,
  type ListChange,
  returnTasks,
  type TeamTaskList,
} from './task-list.ts';
import { newUuid } from '../session/uuid.ts';

const teamSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    createdAt: z.number(),
    /** The session of the lead. Undefined for a team that the user leads from the command line. */
    leadSession: z.string().optional(),
    /** The process of that session. Members end when it has ended and no work is left. */
    leadProcess: processStampSchema.optional(),
  })
  .readonly();

const memberSchema = z
  .object({
    name: z.string(),
    /** Identifies one run of the member. */
    run: z.string(),
    sessionId: z.string(),
    process: processStampSchema,
    joinedAt: z.number(),
    /** A turn runs. */
    isWorking: z.boolean().optional(),
    /** It has ended, perhaps before its process. */
    leftAt: z.number().optional(),
  })
  .readonly();

const taskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  activeForm: z.string().optional(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  owner: z.string().optional(),
  claim: z.object({ member: z.string(), run: z.string() }).optional(),
  blockedBy: z.array(z.string()),
  createdBy: z.string(),
  returns: z.number(),
});

const taskListSchema: z.ZodType<TeamTaskList> = z.object({ next: z.number(), tasks: z.array(taskSchema) });

export type TeamMember = z.infer<typeof memberSchema>;

const PRIVATE_FILE = 0o600;
/** A change takes milliseconds, so a lock that is held longer means a stopped process. */
const LOCK_MS = 30_000;
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i;

/** The name of the lead in owners and mailboxes. */
export const LEAD = 'team-lead';

export function isTeamName(name: string): boolean {
  return NAME.test(name);
}

export class TeamFolder {
  readonly name: string;
  readonly path: string;

  /** `teams`: the folder of all teams. */
  constructor(teams: string, name: string) {
    if (!isTeamName(name)) throw new RangeError(`${name}: not a name of a team`);
    this.name = name;
    this.path = path.join(teams, name);
  }

  get exists(): boolean {
    return existsSync(this.#file('team'));
  }

  /** Returns false if there is a team with this name. */
  async create(description: string, now: number, leadSession?: string): Promise<boolean> {
    makeFolder(this.path);
    return this.#locked(() => {
      if (this.exists) return false;
      writeJson(this.#file('tasks'), EMPTY_LIST, PRIVATE_FILE);
      const leadProcess = leadSession === undefined ? undefined : stampOf(process.pid);
      const team = { name: this.name, description, createdAt: now, leadSession, leadProcess };
      writeJson(this.#file('team'), team, PRIVATE_FILE);
      return true;
    });
  }

  /** The session of the lead runs in this process now. */
  async continueLead(): Promise<void> {
    await this.#locked(() => {
      const { about } = this;
      if (about) writeJson(this.#file('team'), { ...about, leadProcess: stampOf(process.pid) }, PRIVATE_FILE);
    });
  }

  /** The session that leads the team has no process any more. A team that the user leads is never without a lead. */
  get hasLostLead(): boolean {
    const { leadProcess } = this.about ?? {};
    return leadProcess !== undefined && !isAlive(leadProcess);
  }

  get about(): z.infer<typeof teamSchema> | undefined {
    return readJson(this.#file('team'), teamSchema);
  }

  /** Members notice it and end. A change that another process has begun is complete before. */
  async remove(): Promise<void> {
    if (!existsSync(this.path)) return;
    const removed = path.join(path.dirname(this.path), `.removed-${newUuid()}`);
    // The folder disappears at once, so a member never finds a part of it.
    await this.#locked(() => renameSync(this.path, removed));
    rmSync(removed, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The list as it is stored. Claims of ended members may still be in it. */
  tasks(): TeamTaskList {
    return readJson(this.#file('tasks'), taskListSchema) ?? EMPTY_LIST;
  }

  /**
   * Applies a change to the stored list, alone. Tasks of ended members are returned first, and the lead gets a message about them.
   * Throws if the team was removed.
   */
  async change(edit: (list: TeamTaskList) => ListChange): Promise<ListChange> {
    return this.#locked(() => {
      const stored = readJson(this.#file('tasks'), taskListSchema);
      if (!stored) throw new Error(`There is no team ${this.name}.`);
      const { list, returned } = returnTasks(stored, (claim) => this.isLive(claim));
      const edited = edit(list);
      const next = edited.ok ? edited.list : list;
      if (next !== stored) writeJson(this.#file('tasks'), next, PRIVATE_FILE);
      for (const { id, owner = '' } of returned)
        this.#tellLead(`${owner} has ended. Its task #${id} is free again.`);
      return edited;
    });
  }

  /** The change is already stored, so a full mailbox of the lead does not matter. */
  #tellLead(text: string): void {
    try {
      this.mailbox(LEAD).send({ from: this.name, text });
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
    }
  }

  /** A member that is restarted after a crash keeps its session and gets a new run. Rejects a name that is in use. */
  async join(name: string, sessionId: string, now: number): Promise<TeamMember | undefined> {
    return this.#locked(() => {
      const present = this.#member(name);
      if (!isTeamName(name) || name === LEAD || (present && isRunning(present))) return undefined;
      const member = { name, run: newUuid(), sessionId, process: stampOf(process.pid), joinedAt: now };
      writeJson(this.#file(`members/${name}`), member, PRIVATE_FILE);
      return member;
    });
  }

  /** The member has ended. Its file remains, so that a restarted member continues its session. */
  async leave(member: TeamMember, now: number): Promise<void> {
    await this.#update(member, { isWorking: false, leftAt: now });
  }

  /** A turn of the member begins or ends. */
  async markWorking(member: TeamMember, isWorking: boolean): Promise<void> {
    await this.#update(member, { isWorking });
  }

  /** Does nothing if the team was removed. */
  async #update({ name, run }: TeamMember, changes: Partial<TeamMember>): Promise<void> {
    try {
      await this.#locked(() => {
        const stored = this.#member(name);
        if (stored?.run === run)
          writeJson(this.#file(`members/${name}`), { ...stored, ...changes }, PRIVATE_FILE);
      });
    } catch (thrown) {
      if (this.exists) throw thrown;
    }
  }

  /** The members that run. */
  members(): readonly TeamMember[] {
    return this.#allMembers().filter(isRunning);
  }

  /** The names of the members that have ended. They can be started again. */
  endedMembers(): readonly string[] {
    return this.#allMembers()
      .filter((member) => !isRunning(member))
      .map(({ name }) => name);
  }

  #allMembers(): readonly TeamMember[] {
    return this.#names('members').flatMap((file) => this.#member(file.replace(/\.json$/, '')) ?? []);
  }

  /** A member with this name has joined, perhaps in an earlier run. */
  isMember(name: string): boolean {
    return this.#member(name) !== undefined;
  }

  hasEnded(name: string): boolean {
    const member = this.#member(name);
    return member !== undefined && !isRunning(member);
  }

  /** A member runs a turn, or will begin one without the lead. */
  get isWorking(): boolean {
    const running = this.members();
    if (running.length === 0) return false;
    if (hasWork(this.tasks(), (name) => this.isMember(name))) return true;
    return running.some(({ name, isWorking }) => isWorking || this.mailbox(name).waiting().length > 0);
  }

  /** The session of the last run of a member, to continue it. */
  sessionOf(name: string): string | undefined {
    return this.#member(name)?.sessionId;
  }

  isLive({ member: name, run }: Claim): boolean {
    const member = this.#member(name);
    return member?.run === run && isRunning(member);
  }

  mailbox(name: string): Mailbox {
    if (!isTeamName(name)) throw new RangeError(`${name}: not a name of a member`);
    return new Mailbox(path.join(this.path, 'mail', name));
  }

  #member(name: string): TeamMember | undefined {
    return isTeamName(name) ? readJson(this.#file(`members/${name}`), memberSchema) : undefined;
  }

  /** Throws if the team was removed. */
  async #locked<Value>(work: () => Value): Promise<Value> {
    for (const deadline = Date.now() + LOCK_MS; ; await delay(1 + Math.random() * 10)) {
      if (!existsSync(this.path)) throw new Error(`There is no team ${this.name}.`);
      const lockFile = this.#lockFile();
      const lock = takeLock(this.path);
      if (lock.held) {
        try {
          // The lock of a folder that was removed meanwhile protects nothing.
          if (lockFile !== undefined && lockFile === this.#lockFile()) return work();
        } finally {
          lock.release();
        }
      }
      if (Date.now() > deadline) throw new Error(`The team ${this.name} is locked by another process.`);
    }
  }

  /** Identifies the file of the lock. Undefined if it does not exist. */
  #lockFile(): number | undefined {
    return statSync(path.join(this.path, 'lock'), { throwIfNoEntry: false })?.ino;
  }

  #file(name: string): string {
    return path.join(this.path, `${name}.json`);
  }

  #names(folder: string): readonly string[] {
    try {
      return readdirSync(path.join(this.path, folder)).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }
}

function isRunning({ process, leftAt }: TeamMember): boolean {
  return leftAt === undefined && isAlive(process);
}

export function listTeams(teams: string): readonly TeamFolder[] {
  try {
    const names = readdirSync(teams).filter(isTeamName);
    return names.map((name) => new TeamFolder(teams, name)).filter(({ exists }) => exists);
  } catch {
    return [];
  }
}
