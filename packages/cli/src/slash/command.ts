/** The type of a slash command, and the operations it may use. */
import type { SessionChoice } from '../arguments/arguments.ts';
import type { AgentSetup } from '../start/agent-options.ts';
import type { StartedSession } from '../start/start-agent.ts';
import type { Dialog } from '../terminal/dialog.ts';
import type { Style } from '../terminal/style.ts';
import type { ThemeChoice } from '../terminal/theme.ts';

/** In the order in which they are listed. */
export const COMMAND_GROUPS = [
  'the session',
  'the conversation',
  'the model and its rights',
  'the rest',
] as const;

type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface SlashCommand {
  readonly name: string;
  /** Other names of the command. */
  readonly also?: readonly string[];
  /** The arguments, for lists of commands. */
  readonly hint?: string;
  readonly help: string;
  /** The heading under which the command is listed. */
  readonly about: CommandGroup;
  /** The command may be used while a turn runs. */
  readonly anytime?: true;
  /**
   * How the command works without a terminal. `engine`: the engine runs it as a prompt. `text`: `run` only prints text.
   * Absent: it needs a terminal.
   */
  readonly headless?: 'engine' | 'text' | ((started: StartedSession, words: string) => Promise<SlashAnswer>);
  /** The conversation submits the line as a prompt, and the engine runs it as a turn. */
  readonly isPrompt?: true;
  /** Runs the command in a conversation. `words` is the text after the name. */
  readonly run: (words: string, chat: Chat) => void | Promise<void>;
}

export type SlashAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      /** The conversation was emptied. A host is told before the result. */
      readonly isReset?: true;
    }
  | { readonly ok: false; readonly message: string };

/** A conversation at a terminal, as commands use it. */
export interface Chat {
  readonly style: Style;
  /** False if the program runs for a script or a host. A command then only prints. */
  readonly hasTerminal: boolean;
  /** The screen reads single keys: see `Screen`. */
  readonly readsKeys: boolean;
  /** The screen has a region in which the user selects from a list. */
  readonly hasRegion?: boolean;
  /** The colors of the screen. Absent if it has none. */
  readonly themes?: ThemeChoice | undefined;
  /** The session that is open, with its agent. */
  readonly started: StartedSession;
  readonly options: AgentSetup;
  readonly configDir: string;
  readonly cwd: string;
  readonly say: (text: string) => void;
  /** Undefined if the user dismissed the dialog. */
  readonly ask: <Answer>(dialog: Dialog<Answer>) => Promise<Answer | undefined>;
  /** Puts an earlier prompt into the line being typed. Returns false if it would not be a prompt there. */
  readonly putPrompt: (text: string) => boolean;
  /** Opens another session in place of this one. Returns the reason if that is not possible. */
  readonly moveTo: (from: SessionChoice['from']) => Promise<string | undefined>;
  /** Changes options from the next prompt on, also for later sessions. */
  readonly change: (changes: Partial<AgentSetup>) => void;
  readonly leave: () => void;
}
