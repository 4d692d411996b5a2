/**
 * The output cap of each model. No list contains them all, so a cap is learned from the rejection of a larger one,
 * and the same request is sent again with less.
 */
import { readErrorResponse } from './errors/error-response.ts';

export class OutputCaps {
  readonly #caps = new Map<string, number>();
  /** For the next request only: the rest of a small window, which differs every time. */
  readonly #once = new Map<string, number>();

  /** Returns the output cap to request. */
  within(model: string, wanted: number): number {
    const once = this.#once.get(model);
    this.#once.delete(model);
    return Math.min(wanted, once ?? wanted, this.#caps.get(model) ?? wanted);
  }

  /** Returns true if the rejection contained a cap, so that another attempt makes sense. */
  learn(model: string, thrown: unknown, wanted: number): boolean {
    const { status, text } = readErrorResponse(thrown, (words) => words);
    if (status !== 400 && status !== 422) return false;
    const left = leftInWindow(text);
    const cap = left ?? capIn(text, wanted);
    if (cap === undefined || cap < SMALLEST || cap >= wanted) return false;
    (left === undefined ? this.#caps : this.#once).set(model, cap);
    return true;
  }
}

/** A smaller number is too small for a response, and has another meaning in the sentence. */
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
