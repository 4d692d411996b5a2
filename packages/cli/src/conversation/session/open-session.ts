/** The open session with its agent. It is replaced only after another session was opened successfully. */
import type { ChatCommand, SessionChoice } from '../../arguments/arguments.ts';
import type { FileCommands } from '../../slash/slash-commands.ts';
import type { AgentSetup, ResolvedCommand } from '../../start/agent-options.ts';
import { otherAgent, storedModel } from '../../start/continued-session.ts';
import { modelSetup, modelText } from '../../start/model-options.ts';
import { missedRunNotices } from '../../start/schedule-runner.ts';
import { startAgent, type StartedSession } from '../../start/start-agent.ts';
import type { Surface } from '../../start/start-context.ts';

interface OpenSessionSetup {
  readonly command: ResolvedCommand<ChatCommand>;
  readonly options: AgentSetup;
  /** The callbacks for questions and events. */
  readonly surface: Pick<Surface, 'tools' | 'agent' | 'notify' | 'services' | 'pastedTexts'>;
}

/** Enough letters to identify a session, and short enough for one row. */
const SHORT_ID = 8;

export class OpenSession {
  readonly #setup: OpenSessionSetup;
  #options: AgentSetup;
  #started: StartedSession | undefined;

  constructor(setup: OpenSessionSetup) {
    this.#setup = setup;
    this.#options = setup.options;
  }

  /** The current options. Changes also apply to later sessions. */
  get options(): AgentSetup {
    return this.#options;
  }

  get started(): StartedSession {
    if (!this.#started) throw new Error('No session is open.');
    return this.#started;
  }

  /** The commands from files. Undefined while no session is open. */
  get fileCommands(): FileCommands | undefined {
    return this.#started?.extensions;
  }

  get isOpen(): boolean {
    return this.#started !== undefined;
  }

  /** Opens a session. Returns the reason if it fails. */
  async open(choice: SessionChoice): Promise<string | undefined> {
    const { command, surface } = this.#setup;
    // The session of the command line has its agent already.
    const isPicked = this.#started !== undefined || command.session.from.kind === 'pick';
    const other = isPicked ? await otherAgent(choice, this.#options.mainAgent?.name) : undefined;
    if (other !== undefined) return other;
    const unusable = await this.#takeModelOf(choice);
    if (unusable !== undefined) return unusable;
    const starting = await startAgent(command, this.#options, {
      ...surface,
      choice,
      source: this.#started ? 'clear' : 'startup',
    });
    if (!starting.ok) return withCommand(starting.message);
    await this.#started?.close(choice.from.kind === 'new' ? 'clear' : 'resume');
    const { started } = starting;
    // Other surfaces leave the notice to the user's next conversation.
    this.#started = { ...started, notices: [...started.notices, ...(await missedRunNotices())] };
    return undefined;
  }

  /**
   * Without a configured model, the session that the user picked from the first list brings its own. Returns the reason if that
   * model cannot be used.
   */
  async #takeModelOf(choice: SessionChoice): Promise<string | undefined> {
    const { command, surface } = this.#setup;
    const { isStoredModel, stated, modelName } = this.#options;
    if (!isStoredModel || this.#started || command.session.from.kind !== 'pick') return undefined;
    const wanted = await storedModel(choice);
    if (wanted === undefined) return undefined;
    const found = await modelSetup(wanted, stated === undefined ? {} : { stated });
    if (!found.ok) return found.message;
    this.#options = { ...this.#options, ...found.options };
    if (found.options.modelName !== modelName)
      surface.notify?.(`the model of this session is ${modelText(found.options)}`);
    return undefined;
  }

  /** Replaces this session by another one. */
  moveTo(from: SessionChoice['from']): Promise<string | undefined> {
    const { persist } = this.#setup.command.session;
    return this.open({ persist, from, fork: false, id: undefined, at: undefined });
  }

  change(changes: Partial<AgentSetup>): void {
    this.#options = { ...this.#options, ...changes };
    this.started.agent.change(changes);
  }

  /** Closes the session. Returns the command that resumes it, if the session was stored. */
  async close(): Promise<string | undefined> {
    if (!this.#started) return undefined;
    const { agent, session, close } = this.#started;
    await close('prompt_input_exit');
    const isKept = session.journal.path !== undefined && agent.messages.length > 0;
    return isKept
      ? `Resume this conversation with: heddle --resume ${agent.sessionId.slice(0, SHORT_ID)}`
      : undefined;
  }
}

/** Replaces the advice of the library by the matching command of the program. */
function withCommand(message: string): string {
  return message.replace(
    /^(The session (\S+) is in use by another process); fork it .*$/,
    (_, what: string, id: string) =>
      `${what}. To continue in a copy, use: heddle --resume ${id.slice(0, SHORT_ID)} --fork-session`,
  );
}
