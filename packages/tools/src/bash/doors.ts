/** What the shell tools need from the house around them. */
import type { GitFacts } from '../shell/git-facts.ts';
import type { TaskRegistry } from '../tasks/registry.ts';
import type { BashLimits } from './limits.ts';

export interface ShellDoors {
  readonly tasks: TaskRegistry;
  /** For child processes: without the keys to the models. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Where to go back to when the working directory is gone. */
  readonly projectDirectory: string;
  /** What is configured in the repository of a directory, as far as it is known now. Without it `git` is rarely proven. */
  readonly gitFacts?: ((directory: string) => GitFacts | undefined) | undefined;
  readonly limits?: Partial<BashLimits> | undefined;
}
