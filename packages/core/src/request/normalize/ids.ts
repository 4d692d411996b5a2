/** The ids of calls, valid and unique in the whole request. Given out from left to right, so an id once sent stays. */

export class IdRegister {
  readonly #taken = new Set<string>();
  /** The last number tried for a repeated id, so that a thousand repetitions are not a million questions. */
  readonly #repeats = new Map<string, number>();

  /** Claims for a round that may still change: they count only once they are kept. */
  claims(): IdClaims {
    return new IdClaims(this);
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  repeatsOf(id: string): number {
    return this.#repeats.get(id) ?? 1;
  }

  keep(ids: Iterable<string>, repeats: Iterable<readonly [string, number]>): void {
    for (const id of ids) this.#taken.add(id);
    for (const [id, number] of repeats) this.#repeats.set(id, number);
  }
}

export class IdClaims {
  readonly #register: IdRegister;
  readonly #claimed = new Set<string>();
  readonly #repeats = new Map<string, number>();

  constructor(register: IdRegister) {
    this.#register = register;
  }

  isTaken(id: string): boolean {
    return this.#claimed.has(id) || this.#register.isTaken(id);
  }

  /** The id itself where it can be, else the nearest one that is valid and free. */
  claim(wanted: string): string {
    const valid = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    const base = valid === '' ? 'toolu_mended' : valid;
    let id = base;
    let number = this.#repeats.get(base) ?? this.#register.repeatsOf(base);
    while (this.isTaken(id)) id = `${base}_${++number}`;
    if (id !== base) this.#repeats.set(base, number);
    this.#claimed.add(id);
    return id;
  }

  keep(): void {
    this.#register.keep(this.#claimed, this.#repeats);
  }
}
