/** Shared by the parts of a session while it starts: the command, the options, the session and its listeners. */
import type { Agent, AgentOptions, OpenSetup, SdkMessage, Session } from '@heddle/agent';
import type { Plugin } from '@heddle/agent/plugins';
import type { Attachment, LoopEvent } from '@heddle/core';
import type { SessionChoice } from '../arguments/arguments.ts';
import type { ServerServices } from '../mcp/connect-servers.ts';
import type { ProgramTelemetry } from '../telemetry/open-telemetry.ts';
import type { AgentSetup, ResolvedCommand } from './agent-options.ts';
import type { CommandFiles } from './command-files.ts';
import type { SessionConfinement } from './open-sandbox.ts';
import type { SessionHooks, SessionSource } from './session-hooks.ts';
import type { TeamPlace } from './session-team.ts';
import type { ToolChoices } from './session-tools.ts';

/** The contributions of a terminal, a host or a job to a conversation. */
export interface Surface {
  readonly choice?: SessionChoice;
  readonly tools?: ToolChoices;
  /** How a new session came about, for hooks. */
  readonly source?: SessionSource;
  /** Shows the user a line while a turn runs; by default on standard error. */
  readonly notify?: (text: string) => void;
  /** A session that is already open, in place of the chosen one. */
  readonly session?: Session;
  /** The conversation is a member of a team. */
  readonly team?: TeamPlace;
  /** A script or a host writes the session, not a user at a terminal. */
  readonly entrypoint?: OpenSetup['entrypoint'];
  /** The model may start other runs: members of a team, and scheduled jobs. True by default. */
  readonly startsRuns?: boolean;
  /** Every call waits for its subagent, because the process ends with the turn. False by default. */
  readonly waitsForSubagents?: boolean;
  /** The first prompt follows at once, so the connection to the model opens during the start. False by default. */
  readonly promptFollows?: boolean;
  /** The prompt on the command line. Text that is piped to the program follows it. */
  readonly prompt?: string | undefined;
  /** Returns the texts that were pasted without being shown. They are data, although they are part of a prompt. */
  readonly pastedTexts?: () => readonly string[];
  /** The features of this surface that MCP servers may use. */
  readonly services?: ServerServices;
  /** The options that this surface adds, such as handlers for questions and events. */
  readonly agent?: Partial<AgentOptions>;
}

export interface StartContext {
  readonly command: ResolvedCommand;
  readonly options: AgentSetup;
  readonly surface: Surface;
  readonly choice: SessionChoice;
  readonly session: Session;
  readonly notify: (text: string) => void;
  readonly confinement: SessionConfinement;
  readonly telemetry: ProgramTelemetry | undefined;
  readonly listeners: SessionListeners;
  /** The plugins in use. A host may add some later. */
  readonly plugins: Plugin[];
  readonly title: SessionTitle;
  readonly commandFiles: CommandFiles;
  // These three are created after the parts that use them. A part must not call them while it is opened: it may only keep them for
  // callbacks that run with a prompt or later. `hooks` is safe when `openParts` has returned, `agentOptions` when the parts are joined,
  // and `agent` when `createAgent` has returned.
  readonly agent: () => Agent;
  readonly agentOptions: () => AgentOptions;
  readonly hooks: () => SessionHooks;
}

/** The receivers of what happens in a session, and the remarks for the model that wait for the next request. */
export class SessionListeners {
  readonly #events: ((event: LoopEvent) => void)[] = [];
  readonly #lines: ((line: SdkMessage) => unknown)[] = [];
  readonly #remarks: Attachment[] = [];
  /** True if the text and thinking of subagents are part of the output. */
  forwardsSubagentText: boolean;

  constructor(forwardsSubagentText: boolean) {
    this.forwardsSubagentText = forwardsSubagentText;
  }

  onEvent(listener: (event: LoopEvent) => void): void {
    this.#events.push(listener);
  }

  onSubagentLine(listener: (line: SdkMessage) => unknown): void {
    this.#lines.push(listener);
  }

  reportEvent(event: LoopEvent): void {
    for (const listener of this.#events) listener(event);
  }

  /** Resolves when every listener can take more. */
  async reportSubagentLine(line: SdkMessage): Promise<void> {
    await Promise.all(this.#lines.map((listener) => listener(line)));
  }

  addRemark(remark: Attachment): void {
    this.#remarks.push(remark);
  }

  takeRemarks(): readonly Attachment[] {
    return this.#remarks.splice(0);
  }
}

/** A title is written with the first prompt: a session without one is not stored. */
export class SessionTitle {
  readonly #journal: Session['journal'];
  #title: string | undefined;

  constructor({ journal }: Session, title: string | undefined) {
    this.#journal = journal;
    this.#title = title;
  }

  set(title: string): void {
    this.#title = title;
  }

  write(): void {
    if (this.#title !== undefined) this.#journal.append({ type: 'title', title: this.#title });
    this.#title = undefined;
  }
}

/** The span of a call, for commands and servers. Undefined if telemetry is off. */
export function traceparentsOf({ telemetry }: Pick<StartContext, 'telemetry'>): ToolChoices['traceparentOf'] {
  return telemetry && ((id) => telemetry.agent.traceparentOf(id));
}
