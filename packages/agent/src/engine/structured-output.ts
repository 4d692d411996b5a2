/**
 * An answer with a given schema. The model gets a tool whose input has that schema, and the run ends with the first valid
 * call. Without a call the model continues. After too many attempts the run ends with an error.
 */
import type { JsonObject, Schema, Tool } from '@heddle/core';
import { loadSchema } from '../tool-input.ts';

export const STRUCTURED_OUTPUT = 'StructuredOutput';

/** Number of invalid or missing outputs after which the run ends. */
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

  /** The message for a model that ends its turn without the output; undefined if it gave one, or has no attempt left. */
  objection(): string | undefined {
    if (this.#value !== undefined) return undefined;
    this.#failures++;
    return this.exhausted
      ? undefined
      : `Call the tool ${STRUCTURED_OUTPUT} now, with the final answer in the required shape.`;
  }

  async #counted(schema: JsonObject): Promise<Schema<JsonObject>> {
    const parser = await loadSchema(schema);
    return {
      safeParse: (value) => {
        const parsed = parser.safeParse(value);
        if (parsed.success) return parsed;
        this.#failures++;
        // The last attempt fails as a call, because only a call can end the run.
        return this.exhausted ? { success: true, data: {} } : parsed;
      },
    };
  }
}
