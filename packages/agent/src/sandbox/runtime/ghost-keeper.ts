/**
 * Makes ghosts and removes them. The runtime would do so itself, but it does not know of other programs in the same folder:
 * removing a ghost that another one's command still needs would take the guard off that command.
 */
import { lstatSync, mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { type Ghost, ghostContent } from './ghosts.ts';
import type { Leftovers } from './leftovers.ts';

export interface KeptGhosts {
  /** The command is over. Answers with those that were taken away meanwhile: what is there now was not kept from it. */
  release(): readonly string[];
}

export class GhostKeeper {
  readonly #holders = new Map<string, number>();
  readonly #leftovers: Leftovers;

  constructor(leftovers: Leftovers) {
    this.#leftovers = leftovers;
  }

  /** It is there, but only because somebody keeps it. */
  isGhost(path: string): boolean {
    return this.#holders.has(path) || this.#leftovers.othersNeed(path);
  }

  /** Call it before the sandbox of the command is laid out. */
  keep(ghosts: readonly Ghost[]): KeptGhosts {
    this.#leftovers.add(ghosts.map((ghost) => ghost.path));
    const made = ghosts.flatMap((ghost) => {
      const id = makeGhost(ghost);
      return id === undefined ? [] : [{ ghost: ghost.path, id }];
    });
    for (const { ghost } of made) this.#holders.set(ghost, (this.#holders.get(ghost) ?? 0) + 1);
    return {
      release: () => {
        const exposed = made.filter(({ ghost, id }) => ![id, undefined].includes(idOf(ghost)));
        for (const { ghost, id } of made) this.#release(ghost, id);
        return exposed.map(({ ghost }) => ghost);
      },
    };
  }

  #release(ghost: string, id: string): void {
    const holders = (this.#holders.get(ghost) ?? 1) - 1;
    if (holders > 0) {
      this.#holders.set(ghost, holders);
      return;
    }
    this.#holders.delete(ghost);
    if (idOf(ghost) === id && !this.#leftovers.othersNeed(ghost)) removeEmpty(ghost);
  }
}

/** Undefined where nothing can be made: then no command can make it either. */
function makeGhost({ path, kind, content }: Ghost): string | undefined {
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

function isGhostFile(file: string, size: number): boolean {
  const content = ghostContent(file);
  return size === content.length && (size === 0 || readFileSync(file, 'utf8') === content);
}

/** What holds something is no ghost. */
export function removeEmpty(ghost: string): void {
  try {
    const about = lstatSync(ghost);
    if (about.isDirectory()) rmdirSync(ghost);
    else if (about.isFile() && isGhostFile(ghost, about.size)) unlinkSync(ghost);
  } catch {
    // Gone, or not empty.
  }
}
