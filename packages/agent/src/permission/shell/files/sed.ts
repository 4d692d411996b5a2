/** Which files a script of sed writes and reads itself. */
import { isPlainSedScript } from '@heddle/tools/shell';

/** Files behind a `w`, wherever one may be a command or a flag. Finds too many rather than too few. */
export function sedWrites(script: string): string[] {
  if (isPlainSedScript(script)) return [];
  return Array.from(
    script.matchAll(/(?:^|[^\\A-Za-z])[gpiImMe\d]*[wW]\s*([^\s;}][^\n]*)/g),
    ([, file = '']) => file,
  );
}

/** Files behind an `r` or `R`, wherever one may be a command. Finds too many rather than too few. */
export function sedReads(script: string): string[] {
  if (isPlainSedScript(script)) return [];
  return Array.from(script.matchAll(/(?:^|[^\\A-Za-z])[rR]\s*([^\s;}][^\n]*)/g), ([, file = '']) => file);
}
