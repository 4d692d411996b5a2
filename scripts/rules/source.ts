// The input and the output of the repository rules. A rule is a pure function: file in, findings out.
import { type Comment, type Program, parseSync } from 'oxc-parser';

export interface TextFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * A parsed file. Rules about code use its syntax tree, so that comments and strings cannot mislead them.
 */
export interface Source extends TextFile {
  readonly program: Program;
  readonly comments: readonly Comment[];
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  /** Tells the author how to correct it. */
  readonly advice: string;
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|js|mjs|cjs)$/.test(path);
}

/** Tests are beside the code as `*.test.ts`. Shared parts of tests are in a folder named `test`. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/test\//.test(path);
}

/** Throws if the text is not valid code: an empty syntax tree would satisfy every rule. */
export function parse({ path, text }: TextFile): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  return { path, text, program, comments };
}

export function finding(file: TextFile, offset: number, rule: string, advice: string): Finding {
  const line = file.text.slice(0, offset).split('\n').length;
  return { path: file.path, line, rule, advice };
}

/** Returns the value at a path of keys in parsed JSON, or undefined. */
export function valueAt(json: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
}
