/**
 * The files that configured commands name, as they were at the latest prompt of the user. A call of the model may replace such a file,
 * for example by a switch to another branch. The commands that name it then do not run before the next prompt.
 */
import path from 'node:path';
import type { CommandPlaces, ConfiguredCommand } from '../permissions/named-files.ts';
import { type FileState, MISSING, type States, statesOf } from './named-states.ts';

interface CommandFilesSetup {
  readonly commands: () => readonly ConfiguredCommand[];
  readonly places: () => CommandPlaces;
  /** When changed files count: the end of a sentence. By default with the next prompt. */
  readonly appliesWhen?: string | undefined;
}

export class CommandFiles {
  readonly #setup: CommandFilesSetup;
  /** The states at the latest prompt, by file. Undefined: no prompt has arrived, or one is being prepared. */
  #before: Map<string, FileState> | undefined;
  /** The files that each command named then. */
  #named: ReadonlyMap<string, readonly string[]> = new Map();
  /** The commands that run now. */
  readonly #running = new Set<ConfiguredCommand>();
  #rememberedAtMs = 0;
  #isDue = false;
  readonly #reported = new Set<string>();

  constructor(setup: CommandFilesSetup) {
    this.#setup = setup;
  }

  get isEmpty(): boolean {
    return this.#before === undefined && !this.#isDue;
  }

  /** A prompt of the user arrived. Until `remember`, every command runs. */
  forget(): void {
    this.#before = undefined;
    this.#isDue = false;
    this.#reported.clear();
  }

  /** The prompt is prepared. The files are looked at when the answer begins or a command is about to run, so the request need not wait. */
  rememberSoon(): void {
    this.#isDue = true;
  }

  rememberIfDue(): void {
    if (this.#isDue) this.remember();
  }

  remember(): void {
    this.#isDue = false;
    const places = this.#setup.places();
    this.#rememberedAtMs = Date.now();
    const all = this.#setup
      .commands()
      .map((command): [string, States] => [keyOf(command), statesOf(command, places)]);
    this.#named = new Map(all.map(([key, states]) => [key, [...states.keys()]]));
    this.#before = new Map();
    for (const [, states] of all) for (const [file, state] of states) this.#before.set(file, state);
  }

  /**
   * Returns a sentence about a file of the command that changed since the latest prompt of the user. The command must not run then.
   * Of a command that is configured since that prompt, the times of the files decide. `notify` receives each sentence once.
   */
  whyWaiting(command: ConfiguredCommand, notify: (text: string) => void): string | undefined {
    this.rememberIfDue();
    if (this.#before === undefined) return undefined;
    const { places: currentPlaces, appliesWhen = 'with the next prompt of the user' } = this.#setup;
    const places = currentPlaces();
    const found = this.#changedFile(command, this.#before, places);
    if (found === undefined) return undefined;
    const why = `${path.relative(places.cwd, found)} changed. Configured commands use it ${appliesWhen}.`;
    if (!this.#reported.has(why)) notify(why);
    this.#reported.add(why);
    return why;
  }

  /**
   * A command that may run starts now, and the returned function is called at its end. The command itself may change data that it names
   * in between. Programs that change count as changed.
   */
  started(command: ConfiguredCommand): () => void {
    this.#running.add(command);
    return () => {
      this.#running.delete(command);
      const before = this.#before;
      if (before === undefined) return;
      const now = statesOf(command, this.#setup.places());
      for (const file of this.#filesOf(command, now)) {
        const state = now.get(file) ?? MISSING;
        if (state.isData && before.get(file)?.isData !== false) before.set(file, state);
      }
    };
  }

  #filesOf(command: ConfiguredCommand, now: States): readonly string[] {
    return [...new Set([...(this.#named.get(keyOf(command)) ?? []), ...now.keys()])];
  }

  #changedFile(
    command: ConfiguredCommand,
    before: ReadonlyMap<string, FileState>,
    places: CommandPlaces,
  ): string | undefined {
    const now = statesOf(command, places);
    const isKnown = this.#named.has(keyOf(command));
    const hasChanged = (file: string): boolean => {
      const state = now.get(file) ?? MISSING;
      const earlier = before.get(file) ?? (isKnown ? MISSING : undefined);
      if (earlier?.text === state.text) return false;
      if (earlier === undefined && state.changedAtMs <= this.#rememberedAtMs) return false;
      const isWritable = state.isData && earlier?.isData !== false;
      return !isWritable || ![...this.#running].some((other) => this.#names(other, file, places));
    };
    return this.#filesOf(command, now).find(hasChanged);
  }

  #names(command: ConfiguredCommand, file: string, places: CommandPlaces): boolean {
    return this.#named.get(keyOf(command))?.includes(file) === true || statesOf(command, places).has(file);
  }
}

function keyOf({ command, cwd = '', environment = {} }: ConfiguredCommand): string {
  return JSON.stringify([command, cwd, environment]);
}
