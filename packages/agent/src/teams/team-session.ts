/** One conversation as a part of a team, as its lead or as a member: its changes of the task list, its mail, and its hooks. */
import type { LoopEvent, QueuedPrompt } from '@heddle/core';
import type { StopHookAnswer, StopHookQuestion } from '../engine/options.ts';
import { mailText } from './mailbox.ts';
import {
  addTask,
  claimTask,
  completeTask,
  deleteTask,
  editTask,
  findTask,
  handBackTask,
  type ListChange,
  type NewTask,
  nextClaimable,
  releaseAssigned,
  type TaskEdits,
  type TeamTask,
  type TeamTaskList,
} from './task-list.ts';
import { LEAD, type TeamFolder, type TeamMember } from './team-folder.ts';

type TeamEvent = 'TaskCreated' | 'TaskCompleted' | 'TeammateIdle';

/** Runs the hooks of an event. Returns the reason if one blocks it. */
export type RunTeamHooks = (
  event: TeamEvent,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string | undefined>;

export interface TaskChangeRequest extends TaskEdits {
  readonly taskId: string;
  readonly status?: 'pending' | 'in_progress' | 'completed' | 'deleted' | undefined;
}

export class TeamSession {
  readonly folder: TeamFolder;
  /** Undefined for the lead. */
  readonly member: TeamMember | undefined;
  readonly #runHooks: RunTeamHooks;

  constructor(folder: TeamFolder, member: TeamMember | undefined, runHooks: RunTeamHooks) {
    this.folder = folder;
    this.member = member;
    this.#runHooks = runHooks;
  }

  get name(): string {
    return this.member?.name ?? LEAD;
  }

  async addTask(task: Omit<NewTask, 'createdBy'>, signal: AbortSignal): Promise<ListChange> {
    const new_task = { task_subject: task.subject, task_description: task.description };
    const block = await this.#runHooks('TaskCreated', { ...this.#origin, ...new_task }, signal);
    if (block !== undefined) return { ok: false, message: block };
    return this.folder.change((list) => addTask(list, { ...task, createdBy: this.name }));
  }

  async changeTask(
    { taskId, status, ...edits }: TaskChangeRequest,
    signal: AbortSignal,
  ): Promise<ListChange> {
    if (status === 'deleted') return this.folder.change((list) => deleteTask(list, taskId));
    const hasEdits = Object.values(edits).some((value) => value !== undefined);
    const edited = hasEdits ? await this.folder.change((list) => editTask(list, taskId, edits)) : undefined;
    if (edited?.ok === false) return edited;
    switch (status) {
      case undefined:
        return edited ?? { ok: false, message: 'The call changes nothing.' };
      case 'in_progress':
        return this.#claimed((claim) => this.folder.change((list) => claimTask(list, taskId, claim)));
      case 'pending':
        return this.#claimed((claim) => this.folder.change((list) => handBackTask(list, taskId, claim)));
      case 'completed':
        return this.#complete(taskId, signal);
    }
  }

  /** Claims the next task for this member. Undefined if there is none. */
  async claimNext(): Promise<TeamTask | undefined> {
    const released = (list: TeamTaskList): TeamTaskList =>
      releaseAssigned(list, (name) => this.folder.hasEnded(name));
    // A look without the lock first: members that wait for work look often.
    if (!nextClaimable(released(this.folder.tasks()), this.name) && !this.#hasEndedOwner()) return undefined;
    const changed = await this.#claimed((claim) =>
      this.folder.change((stored) => {
        // A task that is free for all comes before one of an ended member, which may start again.
        const list = nextClaimable(stored, this.name) ? stored : released(stored);
        const next = nextClaimable(list, this.name);
        return next ? claimTask(list, next.id, claim) : { ok: false, message: 'There is no open task.' };
      }),
    );
    return changed.ok ? changed.task : undefined;
  }

  /** The tasks that this member works on. */
  claimedTasks(): readonly TeamTask[] {
    return this.folder
      .tasks()
      .tasks.filter(({ claim }) => claim !== undefined && claim.run === this.member?.run);
  }

  /** A turn failed, or the member ends: its tasks are free again. */
  async handBackAll(): Promise<void> {
    for (const { id } of this.claimedTasks())
      await this.#claimed((claim) => this.folder.change((list) => handBackTask(list, id, claim)));
  }

  /** The names that a word means. `*` means all other running members and the lead. */
  receivers(to: string): readonly string[] {
    const running = this.folder.members().map(({ name }) => name);
    const others = [LEAD, ...running].filter((name) => name !== this.name);
    if (to === '*') return others;
    // The lead starts an ended member again, which then reads its mail.
    const known = this.member ? others : [...others, ...this.folder.endedMembers()];
    return known.filter((name) => name === to);
  }

  /** Throws if there is no such member. Returns the receivers. */
  send(to: string, text: string): readonly string[] {
    const receivers = this.receivers(to);
    if (receivers.length === 0) throw new Error(`The team has no member ${to}.`);
    for (const name of receivers) this.folder.mailbox(name).send({ from: this.name, text });
    return receivers;
  }

  /** Messages for this conversation that its log does not contain. They join a running turn. */
  takeQueued(): readonly QueuedPrompt[] {
    if (!this.folder.exists) return [];
    const waiting = this.folder.mailbox(this.name).waiting();
    return waiting.map((mail) => ({ commandId: mail.id, prompt: mailText(mail) }));
  }

  /** Acknowledges a message after the log contains it. */
  observe(event: LoopEvent): void {
    if (event.type !== 'message' || event.message.type !== 'attachment') return;
    const { attachment } = event.message;
    if (attachment.kind === 'queued_command')
      this.folder.mailbox(this.name).acknowledge(attachment.commandId);
  }

  /** The end of a turn: the tasks of the member are complete unless a hook objects. Then the member is idle. */
  readonly atTurnEnd = async ({ signal }: StopHookQuestion): Promise<StopHookAnswer> => {
    if (!this.member || !this.folder.exists) return {};
    for (const { id } of this.claimedTasks()) {
      const completed = await this.#complete(id, signal);
      if (!completed.ok) return { block: completed.message, blockedBy: 'TaskCompleted' };
    }
    const block = await this.#runHooks('TeammateIdle', this.#origin, signal);
    return block === undefined ? {} : { block, blockedBy: 'TeammateIdle' };
  };

  /** A task that cannot be completed is not reported to hooks. */
  async #complete(id: string, signal: AbortSignal): Promise<ListChange> {
    return this.#claimed(async (claim) => {
      const list = this.folder.tasks();
      const checked = completeTask(list, id, claim);
      const task = findTask(list, id);
      if (!checked.ok || !task) return checked;
      const { subject: task_subject, description: task_description } = task;
      const about = { ...this.#origin, task_id: id, task_subject, task_description };
      const block = await this.#runHooks('TaskCompleted', about, signal);
      if (block !== undefined) return { ok: false, message: `Task #${id} is not complete: ${block}` };
      return this.folder.change((current) => completeTask(current, id, claim));
    });
  }

  get #origin(): Readonly<Record<string, string>> {
    return { teammate_name: this.name, team_name: this.folder.name };
  }

  #hasEndedOwner(): boolean {
    return this.folder.tasks().tasks.some(({ claim }) => claim !== undefined && !this.folder.isLive(claim));
  }

  async #claimed(
    work: (claim: { readonly member: string; readonly run: string }) => Promise<ListChange>,
  ): Promise<ListChange> {
    if (!this.member)
      return { ok: false, message: 'Members work on tasks. The lead creates and assigns them.' };
    return work({ member: this.member.name, run: this.member.run });
  }
}
