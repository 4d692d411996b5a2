/** Splits a table with one command per line. `⏎` is a line end within a command. */
export function lines(table: string): string[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n'));
}
