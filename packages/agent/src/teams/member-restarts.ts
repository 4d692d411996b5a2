/** Decides which ended members of a team the lead starts again. */

/** A member that fails each time must not be started with every turn of the lead. */
const MOST_RESTARTS = 2;

interface Restarts {
  readonly count: number;
  /** The tasks that the member had completed at its last restart. */
  readonly completed: number;
}

/** Counts how often each member was started again. A member that made progress, or had nothing to do, is counted from zero. */
export class MemberRestarts {
  readonly #restarts = new Map<string, Restarts>();

  /**
   * Returns the members to start, and counts them.
   *
   * - `ended`: the members that do not run. The counts of the others stay: one may end again without progress.
   * - `isNeeded`: returns whether there is work or mail for a member.
   * - `completed`: returns the number of tasks that a member has completed.
   */
  choose(
    ended: readonly string[],
    isNeeded: (name: string) => boolean,
    completed: (name: string) => number,
  ): readonly string[] {
    const needed = ended.filter(isNeeded);
    const next = needed.map((name) => {
      const last = this.#restarts.get(name);
      const hasProgress = last !== undefined && completed(name) > last.completed;
      return { name, count: last === undefined || hasProgress ? 0 : last.count };
    });
    const wanted = next.filter(({ count }) => count < MOST_RESTARTS).map(({ name }) => name);
    for (const name of ended) this.#restarts.delete(name);
    for (const { name, count } of next)
      this.#restarts.set(name, {
        count: wanted.includes(name) ? count + 1 : count,
        completed: completed(name),
      });
    return wanted;
  }
}
