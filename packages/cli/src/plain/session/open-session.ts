/** The session that is open, with its agent. Another one takes its place when it could be opened, and not before. */
import type { ChatCommand, SessionChoice } from '../../arguments/arguments.ts';
import type { AgentSetup } from '../../start/agent-options.ts';
import { startAgent, type Started, type Surface } from '../../start/start-agent.ts';

interface OpenSessionSetup {
  readonly command: ChatCommand;
  readonly options: AgentSetup;
  /** Who is asked, who listens. */
  readonly surface: Pick<Surface, 'tools' | 'agent' | 'tell'>;
}

/** Enough to tell a session by, and short enough to be copied from one row. */
const SHORT_ID = 8;

export class OpenSession {
  readonly #setup: OpenSessionSetup;
  #options: AgentSetup;
  #started: Started | undefined;

  constructor(setup: OpenSessionSetup) {
    this.#setup = setup;
    this.#options = setup.options;
  }

  /** As they are now: what was changed holds for the sessions that follow, too. */
  get options(): AgentSetup {
    return this.#options;
  }

  get started(): Started {
    if (!this.#started) throw new Error('No session is open.');
    return this.#started;
  }

  get isOpen(): boolean {
    return this.#started !== undefined;
  }

  /** Answers with the reason where it could not be opened. */
  async open(choice: SessionChoice): Promise<string | undefined> {
    const { command, surface } = this.#setup;
    const starting = await startAgent(command, this.#options, { ...surface, choice });
    if (!starting.ok) return inOurWords(starting.message);
    await this.#started?.close();
    this.#started = starting.started;
    return undefined;
  }

  /** Leaves this one for another. */
  moveTo(from: SessionChoice['from']): Promise<string | undefined> {
    const { persist } = this.#setup.command.session;
    return this.open({ persist, from, fork: false, id: undefined, at: undefined });
  }

  change(changes: Partial<AgentSetup>): void {
    this.#options = { ...this.#options, ...changes };
    this.started.agent.change(changes);
  }

  /** Closes it, and says how to take it up again, if there is anything to take up. */
  async close(): Promise<string | undefined> {
    if (!this.#started) return undefined;
    const { agent, session, close } = this.#started;
    await close();
    const isKept = session.journal.path !== undefined && agent.messages.length > 0;
    return isKept
      ? `Resume this conversation with: heddle --resume ${agent.sessionId.slice(0, SHORT_ID)}`
      : undefined;
  }
}

/** The library says what to do; here it has a name. */
function inOurWords(message: string): string {
  return message.replace(
    /^(The session (\S+) is in use by another process); fork it .*$/,
    (_, what: string, id: string) =>
      `${what}. Go on in a copy of it with: heddle --resume ${id.slice(0, SHORT_ID)} --fork-session`,
  );
}
