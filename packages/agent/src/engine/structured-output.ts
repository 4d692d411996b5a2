/**
 * An answer of a given shape: the model is offered a tool whose input is that shape, and the run ends with the first valid
 * call. An answer without one is sent back to work; after too many tries the run ends with an error of its own.
 */
import type { JsonObject, Schema, Tool } from '@heddle/core';

export const STRUCTURED_OUTPUT = 'StructuredOutput';

/** Invalid or missing outputs after which the run gives up. */
const DEFAULT_RETRIES = 5;

export class StructuredOutput {
  readonly tool: Tool<JsonObject, JsonObject>;
  readonly #maxRetries: number;
  #value: JsonObject | undefined;
  #failures = 0;

  constructor(schema: JsonObject, maxRetries = DEFAULT_RETRIES) {
    this.#maxRetries = maxRetries;
    this.tool = {
      name: STRUCTURED_OUTPUT,
      description:
        'Gives the final answer in the required shape. Call it exactly once, when the work is done.',
      inputJSONSchema: schema,
      inputSchema: () => this.#counted(schema),
      isReadOnly: () => true,
      isConcurrencySafe: () => false,
      maxResultSize: 100_000,
      interruptBehavior: 'cancel',
      call: (input) => {
        if (this.exhausted)
          return Promise.reject(new Error('This output is not of the required shape either.'));
        this.#value = input;
        return Promise.resolve({ data: input });
      },
      toResult: () => ({ content: 'The output was taken.' }),
    };
  }

  get value(): JsonObject | undefined {
    return this.#value;
  }

  get exhausted(): boolean {
    return this.#value === undefined && this.#failures > this.#maxRetries;
  }

  /** At the end of a turn: what to say to a model that has not given its output; nothing when it has, or there is no hope. */
  objection(): string | undefined {
    if (this.#value !== undefined) return undefined;
    this.#failures++;
    return this.exhausted
      ? undefined
      : `Call the tool ${STRUCTURED_OUTPUT} now, with the final answer in the required shape.`;
  }

  async #counted(schema: JsonObject): Promise<Schema<JsonObject>> {
    const parser = await parserOf(schema);
    return {
      safeParse: (value) => {
        const parsed = parser.safeParse(value);
        if (parsed.success) return parsed;
        this.#failures++;
        // The one too many is let through, and fails as a call: only a call can end the run.
        return this.exhausted ? { success: true, data: {} } : parsed;
      },
    };
  }
}

/** Throws where the schema itself makes no sense: that is a mistake at start-up. */
export async function parserOf(schema: JsonObject): Promise<Schema<JsonObject>> {
  const { compileSchema } = await import('@heddle/tools/json-schema');
  return compileSchema(schema);
}
