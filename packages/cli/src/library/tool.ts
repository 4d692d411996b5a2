/** `tool()`: a tool from a schema and a function. The other members of a tool have safe defaults. */
import {
  isJsonObject,
  isRecord,
  type Json,
  type JsonObject,
  type ResultContent,
  type Schema,
  type Tool,
} from '@heddle/core';

/** A schema of zod 4, or of another library that implements Standard Schema with JSON Schema. */
export interface InputSchema<Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly output: Input } | undefined;
  };
}

/** The output of `run`: text, content blocks, or JSON, which the model gets as text. */
export type RunOutput = Json | readonly ResultContent[] | undefined;

export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: InputSchema<Input>;
  /** May throw: the model gets the message as an error. `signal` aborts when the result is no longer needed. */
  readonly run: (input: Input, context: RunContext) => Promise<RunOutput> | RunOutput;
  /** The tool changes nothing. Its calls may run at the same time, and before the answer is complete. */
  readonly readOnly?: boolean;
}

export interface RunContext {
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly toolUseId: string;
  /** Reports progress to the host. */
  readonly progress: (data: Json) => void;
}

/** Characters of a result beyond which it goes to a file. */
const MAX_RESULT = 100_000;

/** Throws a `TypeError` with one sentence if the definition cannot work. */
export function tool<Input>(definition: ToolDefinition<Input>): Tool<Input, RunOutput> {
  const { name, description, input, run, readOnly = false } = definition;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new TypeError(
      `The name of a tool has 1 to 64 letters, digits, _ or -, not ${JSON.stringify(name)}.`,
    );
  if (typeof description !== 'string' || description.trim() === '')
    throw new TypeError(`The tool ${name} needs a description: the model chooses tools by it.`);
  if (typeof run !== 'function') throw new TypeError(`The tool ${name} needs a function run.`);
  const schema = jsonSchemaOf(name, input);
  return {
    name,
    description,
    inputJSONSchema: schema,
    inputSchema: () => parserOf(name, input),
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    maxResultSize: MAX_RESULT,
    interruptBehavior: 'cancel',
    call: async (value, { signal, workingDirectory: cwd, toolUseId }, progress) => ({
      data: await run(value, { signal, cwd, toolUseId, progress }),
    }),
    toResult: (data) => ({ content: contentOf(data) }),
  };
}

function contentOf(data: RunOutput): string | readonly ResultContent[] {
  if (typeof data === 'string') return data;
  if (isContent(data)) return data;
  return data === undefined ? 'Done.' : JSON.stringify(data);
}

function isContent(data: RunOutput): data is readonly ResultContent[] {
  return (
    Array.isArray(data) &&
    data.length > 0 &&
    data.every((block) => isRecord(block) && (block['type'] === 'text' || block['type'] === 'image'))
  );
}

/** Libraries convert in their own way: by Standard JSON Schema, or by a method as zod has it. */
function jsonSchemaOf(name: string, input: unknown): JsonObject {
  const problem = `The tool ${name} needs an input: a schema of an object, such as z.object({ … }) of zod 4.`;
  if (!isRecord(input)) throw new TypeError(problem);
  const standard = isRecord(input['~standard']) ? input['~standard'] : {};
  const converter = isRecord(standard['jsonSchema']) ? standard['jsonSchema']['input'] : undefined;
  const convert = converter ?? input['toJSONSchema'];
  if (typeof convert !== 'function') throw new TypeError(problem);
  const options = converter === undefined ? { io: 'input' } : { target: 'draft-2020-12' };
  const schema: unknown = Reflect.apply(convert, converter === undefined ? input : standard['jsonSchema'], [
    options,
  ]);
  if (!isJsonObject(schema) || schema['type'] !== 'object') throw new TypeError(problem);
  const { $schema: _, '~standard': _standard, ...rest } = schema;
  return rest;
}

/** Validation of Standard Schema, as the loop calls it. */
async function parserOf<Input>(
  name: string,
  { '~standard': standard }: InputSchema<Input>,
): Promise<Schema<Input>> {
  const validate: unknown = Reflect.get(standard, 'validate');
  if (typeof validate !== 'function') throw new TypeError(`The input of the tool ${name} cannot be checked.`);
  return {
    safeParse: (value) => {
      const result: unknown = Reflect.apply(validate, standard, [value]);
      if (result instanceof Promise || !isRecord(result))
        return { success: false, error: { message: 'The schema of this tool checks asynchronously.' } };
      const { issues } = result;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the value
      if (!Array.isArray(issues)) return { success: true, data: result['value'] as Input };
      const list = issues.filter(isRecord).map((issue) => ({
        path: pathOf(issue['path']),
        message: String(issue['message']),
      }));
      return {
        success: false,
        error: { message: list.map(({ message }) => message).join('\n'), issues: list },
      };
    },
  };
}

function pathOf(path: unknown): readonly PropertyKey[] {
  if (!Array.isArray(path)) return [];
  return path.flatMap((key: unknown) => {
    const name = isRecord(key) ? key['key'] : key;
    return typeof name === 'string' || typeof name === 'number' ? [name] : [];
  });
}
