/** Walks through earlier prompts, the newest first, and back to what was being typed. */
export class Recall {
  readonly #prompts: string[];
  /** How far back; 0 is what is being typed. */
  #back = 0;
  #draft = '';

  constructor(prompts: readonly string[] = []) {
    this.#prompts = [...prompts];
  }

  /** Each once. */
  get newestFirst(): readonly string[] {
    return [...new Set(this.#prompts.toReversed())];
  }

  older(draft: string): string | undefined {
    const text = this.#prompts.at(-this.#back - 1);
    if (text === undefined) return undefined;
    if (this.#back === 0) this.#draft = draft;
    this.#back++;
    return text;
  }

  newer(): string | undefined {
    if (this.#back === 0) return undefined;
    this.#back--;
    return this.#back === 0 ? this.#draft : this.#prompts.at(-this.#back);
  }

  /** Something was sent: the next walk begins at the end again. */
  rest(): void {
    this.#back = 0;
  }

  add(prompt: string): void {
    if (this.#prompts.at(-1) !== prompt) this.#prompts.push(prompt);
  }
}
