/** One spelling for a command, whatever quotes and spaces it was written with. */
import type { ShellAssignment, ShellWord } from '@heddle/tools/shell';

/** Quoted only where the shell would read it differently without. */
export function canonicalWord(value: string): string {
  if (value !== '' && /^[\p{L}\p{N}_\-.,/:=@%+^]+$/u.test(value)) return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** What cannot be known before it runs stands as it was written. */
export function canonicalText(words: readonly ShellWord[]): string {
  return words.map((word) => (word.kind === 'literal' ? canonicalWord(word.value) : word.text)).join(' ');
}

export function writtenText(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

export function assignmentText({ name, append, value }: ShellAssignment): string {
  const sign = append ? '+=' : '=';
  if (value === undefined) return `${name}${sign}(…)`;
  return `${name}${sign}${value.kind === 'literal' ? canonicalWord(value.value) : value.text}`;
}
