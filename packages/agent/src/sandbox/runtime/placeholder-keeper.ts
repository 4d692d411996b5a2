/**
 * Makes ghosts and removes them. The runtime would do so itself, but it does not know of other programs in the same folder:
 * removing a ghost that another one's command still needs would take the guard off that command.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { type Leftovers, removeEmpty } from './leftovers.ts';
import type { Placeholder } from './placeholders.ts';

export interface HeldPlaceholders {
  /** The command is over. Answers with those that were taken away meanwhile: what is there now was not kept from it. */
  release(): readonly string[];
}

export class PlaceholderKeeper {
  readonly #holders = new Map<string, number>();
  readonly #leftovers: Leftovers;

  constructor(leftovers: Leftovers) {
    this.#leftovers = leftovers;
  }

  /** It is there, but only because somebody keeps it. */
  isPlaceholder(path: string): boolean {
    return this.#holders.has(path) || this.#leftovers.othersNeed(path);
  }

  /** Call it before the sandbox of the command is laid out. */
  keep(placeholders: readonly Placeholder[]): HeldPlaceholders {
    this.#leftovers.add(placeholders.map((placeholder) => placeholder.path));
    const made = placeholders.flatMap((placeholder) => {
      const id = makePlaceholder(placeholder);
      return id === undefined ? [] : [{ placeholder: placeholder.path, id }];
    });
    for (const { placeholder } of made)
      this.#holders.set(placeholder, (this.#holders.get(placeholder) ?? 0) + 1);
    return {
      release: () => {
        const exposed = made.filter(({ placeholder, id }) => ![id, undefined].includes(idOf(placeholder)));
        for (const { placeholder, id } of made) this.#release(placeholder, id);
        return exposed.map(({ placeholder }) => placeholder);
      },
    };
  }

  #release(placeholder: string, id: string): void {
    const holders = (this.#holders.get(placeholder) ?? 1) - 1;
    if (holders > 0) {
      this.#holders.set(placeholder, holders);
      return;
    }
    this.#holders.delete(placeholder);
    if (idOf(placeholder) === id && !this.#leftovers.othersNeed(placeholder)) removeEmpty(placeholder);
  }
}

/** Undefined where nothing can be made: then no command can make it either. */
function makePlaceholder({ path, kind, content }: Placeholder): string | undefined {
  try {
    if (kind === 'folder') mkdirSync(path);
    else writeFileSync(path, content, { flag: 'wx', mode: 0o444 });
  } catch {
    // Another command of ours, or another program, was faster; or it cannot be.
  }
  return idOf(path);
}

function idOf(file: string): string | undefined {
  try {
    // A number alone is used again at once for the next file.
    const { dev, ino, birthtimeNs } = lstatSync(file, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
