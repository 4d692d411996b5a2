/** The parts that subcommands such as `heddle config` and `heddle fleet` share: their flags, and their output. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isJsonObject, type JsonObject } from '@heddle/core';
import { flagProblem, writeMessage } from '../terminal/write-message.ts';

type FlagTable = NonNullable<ParseArgsConfig['options']>;

/** The values of the flags in a table. */
export type FlagValues<Table extends FlagTable> = SubcommandWords<Table>['values'];

type SubcommandWords<Table extends FlagTable> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Table }>
>;

export type SubcommandRead<Table extends FlagTable> =
  | ({ readonly ok: true } & Pick<SubcommandWords<Table>, 'values' | 'positionals'>)
  | { readonly ok: false; readonly message: string };

/** Separates flags from words. The message names a wrong flag. */
export function readSubcommand<const Table extends FlagTable>(
  argv: readonly string[],
  options: Table,
): SubcommandRead<Table> {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
    return { ok: true, values, positionals };
  } catch (thrown) {
    return { ok: false, message: flagProblem(thrown) };
  }
}

/** Returns the arguments before the first `--`, and those after it. */
export function splitAtDashes(
  argv: readonly string[],
): readonly [own: readonly string[], after: readonly string[]] {
  const cut = argv.indexOf('--');
  return cut < 0 ? [argv, []] : [argv.slice(0, cut), argv.slice(cut + 1)];
}

/** Prints the result of a command. Returns the exit code of success. */
export function printResult(text: string): number {
  writeMessage(text);
  return 0;
}

/** Returns undefined if the text is not a JSON object. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
