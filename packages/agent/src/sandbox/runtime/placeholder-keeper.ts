/**
 * Creates and removes placeholders. The runtime could do it, but it ignores other programs in the same folder. Removing
 * a placeholder that another command still needs would expose that command's guarded path.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { type Leftovers, removeEmpty } from './leftovers.ts';
import type { Placeholder } from './placeholders.ts';

export interface HeldPlaceholders {
  /**
   * Call it when the command has ended. Returns the placeholders that were replaced while it ran: the path was not
   * protected.
   */
  release(): readonly string[];
}

export class PlaceholderKeeper {
  readonly #holders = new Map<string, number>();
  readonly #leftovers: Leftovers;

  constructor(leftovers: Leftovers) {
    this.#leftovers = leftovers;
  }

  /** Returns whether the path exists only as a placeholder. */
  isPlaceholder(path: string): boolean {
    return this.#holders.has(path) || this.#leftovers.othersNeed(path);
  }

  /** Call it before the sandbox of the command starts. */
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

/** Returns undefined if the placeholder cannot be created. Then no command can create the path either. */
function makePlaceholder({ path, kind, content }: Placeholder): string | undefined {
  try {
    if (kind === 'folder') mkdirSync(path);
    else writeFileSync(path, content, { flag: 'wx', mode: 0o444 });
  } catch {
    // Another command or program was faster, or the path cannot be created.
  }
  return idOf(path);
}

function idOf(file: string): string | undefined {
  try {
    // An inode number alone is reused at once for the next file.
    const { dev, ino, birthtimeNs } = lstatSync(file, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
