/** What a slash command is, and what it may do. */
import type { SessionChoice } from '../../arguments.ts';
import type { AgentSetup } from '../../headless/agent-options.ts';
import type { Started } from '../../headless/start.ts';
import type { Dialog } from '../questions/dialog.ts';
import type { Style } from '../style.ts';

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
  readonly also?: readonly string[];
  /** What may stand behind it. */
  readonly hint?: string;
  readonly help: string;
  /** Under which heading it is listed. */
  readonly about: CommandGroup;
  /** May be used while a turn runs. */
  readonly anytime?: true;
  /** `words`: what was typed behind the name. */
  readonly run: (words: string, chat: Chat) => void | Promise<void>;
}

export interface Chat {
  readonly style: Style;
  /** Keys mean something: see `Screen`. */
  readonly readsKeys: boolean;
  /** The session that is open, with its agent. */
  readonly started: Started;
  readonly options: AgentSetup;
  readonly configDir: string;
  readonly cwd: string;
  readonly say: (text: string) => void;
  /** Undefined: the user did not want to answer. */
  readonly ask: <Answer>(dialog: Dialog<Answer>) => Promise<Answer | undefined>;
  /** Puts a text into the line being typed. */
  readonly put: (text: string) => void;
  /** Leaves this session for another. Answers with the reason where that is not possible. */
  readonly moveTo: (from: SessionChoice['from']) => Promise<string | undefined>;
  /** From the next prompt on, also in the sessions that follow. */
  readonly change: (changes: Partial<AgentSetup>) => void;
  readonly leave: () => void;
}
