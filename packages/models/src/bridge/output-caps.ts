/**
 * How much each model can write at once. No list has it for all of them: it is learnt from the refusal of a request that
 * wanted more, and the same request goes out again with less. An answer that was cut asks for a lot, so this is met in
 * practice.
 */
import { readSaid } from './errors/said.ts';

export class OutputCaps {
  readonly #caps = new Map<string, number>();
  /** For the next request only: what is left of a small window, which differs every time. */
  readonly #once = new Map<string, number>();

  /** What may be asked for. */
  within(model: string, wanted: number): number {
    const once = this.#once.get(model);
    this.#once.delete(model);
    return Math.min(wanted, once ?? wanted, this.#caps.get(model) ?? wanted);
  }

  /** Whether the refusal told of a cap, so that another try makes sense. */
  learn(model: string, thrown: unknown, wanted: number): boolean {
    const { status, text } = readSaid(thrown, (words) => words);
    if (status !== 400 && status !== 422) return false;
    const left = leftInWindow(text);
    const cap = left ?? capIn(text, wanted);
    if (cap === undefined || cap < SMALLEST || cap >= wanted) return false;
    (left === undefined ? this.#caps : this.#once).set(model, cap);
    return true;
  }
}

/** Less is no room for an answer, and some other number of the sentence. */
const SMALLEST = 256;

const ABOUT_OUTPUT = /max_?(completion_?|output_?)?tokens|maximum tokens|completion tokens|output tokens/i;

/** "…is too large: 64000. This model supports at most 16384…", "…valid range of max_tokens is [1, 8192]". */
function capIn(text: string, wanted: number): number | undefined {
  if (!ABOUT_OUTPUT.test(text) || /input tokens|context length/i.test(text)) return undefined;
  const numbers = [...text.matchAll(/(\d{3,})( \(exclusive\))?/g)].map(
    ([, number, isExclusive]) => Number(number) - (isExclusive === undefined ? 0 : 1),
  );
  const smaller = numbers.filter((number) => number < wanted);
  return smaller.length === 0 ? undefined : Math.max(...smaller);
}

/** vLLM: "…maximum context length is 32768 tokens and your request has 900 input tokens". */
function leftInWindow(text: string): number | undefined {
  const [, window, input] =
    /context length is (\d+) tokens and your request has (\d+) input/.exec(text) ?? [];
  return ABOUT_OUTPUT.test(text) && window !== undefined ? Number(window) - Number(input) : undefined;
}
