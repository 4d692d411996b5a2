/**
 * The stored queue of prompts that arrived while a run was under way. A surface keeps them and decides when they join. This class
 * stores each change, reports it, and returns the prompts that a crash left waiting.
 */
import type { Attachment, EntryBody, QueuedEntry } from '@heddle/core';
import type { LineStamp } from './lines.ts';
import type { AgentOptions } from './options.ts';
import { type SessionLog, storedOutcome } from './session-log.ts';

export type StoredPrompt = Omit<QueuedEntry, 'type' | 'state'>;

type CommandEntry = Extract<EntryBody, { type: 'command' }>;

interface NewPrompt extends StoredPrompt {
  /** The host has no id for it, so it is not reported. */
  readonly isSilent?: boolean;
}

interface PromptQueueSetup {
  readonly log: SessionLog;
  readonly stamp: () => LineStamp;
  /** Returns the current options of the engine. */
  readonly options: () => Pick<AgentOptions, 'onLine'>;
}

export class PromptQueue {
  readonly #setup: PromptQueueSetup;
  /** Prompts of an earlier process that no run has contained. */
  #restored: readonly StoredPrompt[];
  /** Prompts that the current run started with. */
  #joined: readonly string[] = [];

  constructor(setup: PromptQueueSetup) {
    this.#setup = setup;
    this.#restored = [...setup.log.queued.values()];
  }

  /** The prompts that a crash left waiting. They join the next prompt. */
  get restored(): readonly StoredPrompt[] {
    return this.#restored;
  }

  /** A prompt waits for the running turn, or for a turn of its own. */
  add({ isSilent, ...prompt }: NewPrompt): void {
    this.#store({ type: 'command', state: 'queued', ...prompt });
    if (!isSilent) this.#report(prompt.commandId, 'queued');
  }

  /** The user or the host cancels these prompts. Others are ignored. */
  cancel(ids: readonly string[]): void {
    for (const commandId of ids.filter((id) => this.#waits(id))) {
      this.#store({ type: 'command', commandId, state: 'cancelled' });
      this.#report(commandId, 'cancelled');
    }
  }

  /** Takes the restored prompts of one agent, for a run that was continued. */
  takeRestored(agentId: string | undefined): readonly StoredPrompt[] {
    const taken = this.#restored.filter((prompt) => prompt.agentId === agentId);
    this.#restored = this.#restored.filter((prompt) => prompt.agentId !== agentId);
    return taken;
  }

  /** A prompt starts. Returns the restored prompts as attachments of it. `carried` are queued prompts that it contains. */
  promptStarted(uuid: string, carried: readonly string[]): readonly Attachment[] {
    for (const entry of this.#early.splice(0)) this.#store(entry);
    const restored = this.takeRestored(undefined);
    const ids = [...restored.map(({ commandId }) => commandId), ...carried];
    for (const commandId of ids) this.#store({ type: 'command', commandId, state: 'started' });
    // The stored message of the prompt itself ends its time in the queue, so it needs no entry.
    this.#joined = this.#reported.has(uuid) ? [...ids, uuid] : ids;
    for (const id of this.#joined) this.#report(id, 'started');
    return restored.map(({ commandId, prompt }) => ({ kind: 'queued_command', commandId, prompt }));
  }

  /** The run of the prompt has returned. */
  promptEnded(uuid: string): void {
    for (const commandId of this.#joined) {
      if (commandId !== uuid) this.#store({ type: 'command', commandId, state: 'completed' });
      this.#report(commandId, 'completed');
    }
    this.#joined = [];
  }

  /** Ids that were reported as queued and have not started. */
  readonly #reported = new Set<string>();
  /** Changes before the first prompt was stored. They follow its entries. */
  readonly #early: CommandEntry[] = [];

  #report(commandId: string, state: 'queued' | 'started' | 'completed' | 'cancelled'): void {
    if (state === 'queued') this.#reported.add(commandId);
    else this.#reported.delete(commandId);
    const { options, stamp } = this.#setup;
    options().onLine?.({ type: 'command_lifecycle', ...stamp(), command_uuid: commandId, state });
  }

  #waits(id: string): boolean {
    const last = this.#early.findLast(({ commandId }) => commandId === id);
    return last === undefined ? this.#setup.log.queued.has(id) : last.state === 'queued';
  }

  /** A change that cannot be stored still counts in this process. */
  #store(entry: CommandEntry): void {
    const { log } = this.#setup;
    if (!log.hasBegun) return void this.#early.push(entry);
    storedOutcome(() => {
      for (const one of [...this.#early.splice(0), entry]) log.store(one);
      return { ok: true };
    });
  }
}
