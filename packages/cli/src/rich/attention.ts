/**
 * Shows the state of the conversation outside of its text: in the title of the window, and with a bell or a notification
 * of the desktop when the user is needed. The title of before is restored at the end.
 */
import { escapeControls } from '../terminal/escape-controls.ts';

type Variables = Readonly<Record<string, string | undefined>>;
export type WindowState = 'idle' | 'working' | 'asking';

const MARKS: Readonly<Record<WindowState, string>> = { idle: '', working: '* ', asking: '? ' };
const BELL = '\u0007';
/** Ends a command for the terminal. A bell would end it, too, but some terminals ring it. */
const STRING_END = '\u001b\\';
const SAVE_TITLE = '\u001b[22;2t';
const RESTORE_TITLE = '\u001b[23;2t';

export class Attention {
  readonly #write: (bytes: string) => void;
  readonly #name: string;
  readonly #hasTitle: boolean;
  readonly #notifies: boolean;
  #state: WindowState | undefined;

  /** `name`: the name of the conversation in the title. */
  constructor(write: (bytes: string) => void, name: string, env: Variables) {
    this.#write = write;
    this.#name = escapeControls(name);
    // The consoles of Linux and of GNU Screen have no title of their own.
    this.#hasTitle = env['STY'] === undefined && env['TERM'] !== 'linux';
    this.#notifies = showsNotifications(env);
  }

  show(state: WindowState): void {
    if (!this.#hasTitle || this.#state === state) return;
    const save = this.#state === undefined ? SAVE_TITLE : '';
    this.#state = state;
    this.#write(`${save}\u001b]2;${MARKS[state]}heddle ${this.#name}${STRING_END}`);
  }

  /** Rings the bell. Terminals that can show a notification also get its text. */
  call(text: string): void {
    const notification = this.#notifies ? `\u001b]9;Heddle ${this.#name}: ${text}${STRING_END}` : '';
    this.#write(BELL + notification);
  }

  end(): void {
    if (this.#state !== undefined) this.#write(RESTORE_TITLE);
    this.#state = undefined;
  }
}

/** Other terminals would ignore the text, or use it for something else. */
function showsNotifications(env: Variables): boolean {
  const program = env['TERM_PROGRAM'] ?? '';
  return (
    env['TMUX'] === undefined &&
    (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(program) || env['TERM'] === 'xterm-kitty')
  );
}
