/** A table as it is read: one command a line, `⏎` for a line end within one. */
export function lines(table: string): string[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n'));
}
