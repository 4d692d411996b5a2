/** Programs that do no harm whatever they are given: more arguments may come from a pipe, a variable or a glob. */
import { SAFE_PROGRAMS, OPTIONS } from './tables.ts';

export function isHarmlessProgram(program: string): boolean {
  return SAFE_PROGRAMS.has(program) || OPTIONS.get(program)?.harmless === true;
}
