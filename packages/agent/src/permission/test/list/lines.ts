/** Commands from a text, one in a line: `⏎` is a line break inside a command, `§` a dollar sign. */
export function commandLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n').replaceAll('§', '$'));
}
