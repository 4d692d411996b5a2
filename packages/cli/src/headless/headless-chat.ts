/** A conversation without a terminal, as slash commands use it. Their output is collected. */
import type { AgentSetup } from '../start/agent-options.ts';
import type { StartedSession } from '../start/start-agent.ts';
import { configDir } from '../config-dir.ts';
import type { Chat, SlashCommand } from '../slash/command.ts';
import { styleFor } from '../terminal/style.ts';

export class HeadlessChat {
  readonly started: StartedSession;
  #options: AgentSetup;

  constructor(started: StartedSession, options: AgentSetup) {
    this.started = started;
    this.#options = options;
  }

  /** Runs a command that only prints. Returns its output. */
  async run({ name, run }: SlashCommand, words: string): Promise<string> {
    const lines: string[] = [];
    const chat: Chat = {
      style: styleFor({ plain: true, env: process.env }),
      hasTerminal: false,
      readsKeys: false,
      started: this.started,
      options: this.#options,
      configDir: configDir(process.env),
      cwd: this.#options.cwd,
      say: (text) => void lines.push(text),
      // There is no user to answer.
      ask: () => Promise.resolve(undefined),
      putPrompt: () => false,
      moveTo: () => Promise.resolve(`/${name} cannot open another session here.`),
      change: (changes) => {
        this.#options = { ...this.#options, ...changes };
        this.started.agent.change(changes);
      },
      leave: () => undefined,
    };
    await run(words, chat);
    return lines.join('\n');
  }
}
