/** A theme: one setting, and what is decided about many commands in it. */
import type { Setting } from '../ask.ts';

export interface Theme extends Setting {
  readonly theme: string;
  readonly allowed?: readonly string[];
  readonly asked?: readonly string[];
  readonly denied?: readonly string[];
}

/** Rules that allow edits in every script. A mode that accepts edits allows them in plain scripts only. */
export const EDIT_RULES: readonly string[] = [
  'Edit(./**)',
  ...['touch', 'mkdir', 'rm', 'rmdir', 'mv', 'cp', 'sed'].map((program) => `Bash(${program} *)`),
];
