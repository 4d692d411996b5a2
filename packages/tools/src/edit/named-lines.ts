/** `line 3`, `lines 3, 7, …`: each once, however often something stands on it. */
export function namedLines(numbers: readonly number[], most: number): string {
  const lines = [...new Set(numbers)];
  const more = lines.length > most ? ', …' : '';
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, most).join(', ')}${more}`;
}
