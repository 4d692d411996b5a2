/** Decides which ended members of a team the lead starts again. */

/** A member that fails each time must not be started with every turn of the lead. */
const MOST_RESTARTS = 2;

interface Restarts {
  readonly count: number;
  /** The tasks that the member had completed at its last restart. */
  readonly completed: number;
}

/** Counts how often each member was started again. A member that made progress is counted from zero. */
export class MemberRestarts {
  #restarts: ReadonlyMap<string, Restarts> = new Map();

  /**
   * Returns the members to start, and counts them.
   *
   * - `needed`: the ended members that have work or mail. Others have done their part.
   * - `completed`: returns the number of tasks that a member has completed.
   */
  choose(needed: readonly string[], completed: (name: string) => number): readonly string[] {
    const next = needed.map((name) => {
      const last = this.#restarts.get(name);
      const hasProgress = last !== undefined && completed(name) > last.completed;
      return { name, count: last === undefined || hasProgress ? 0 : last.count };
    });
    const wanted = next.filter(({ count }) => count < MOST_RESTARTS).map(({ name }) => name);
    this.#restarts = new Map(
      next.map(({ name, count }) => [
        name,
        { count: wanted.includes(name) ? count + 1 : count, completed: completed(name) },
      ]),
    );
    return wanted;
  }
}
