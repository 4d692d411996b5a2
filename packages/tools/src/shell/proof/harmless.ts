/** Programs that do no harm whatever they are given: more arguments may come from a pipe, a variable or a glob. */
import { HARMLESS, OPTIONS } from './tables.ts';

export function isHarmlessProgram(program: string): boolean {
  return HARMLESS.has(program) || OPTIONS.get(program)?.harmless === true;
}
