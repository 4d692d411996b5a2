/** A theme: one setting, and what is decided about many commands in it. */
import type { Setting } from '../ask.ts';

export interface Theme extends Setting {
  readonly theme: string;
  readonly allowed?: readonly string[];
  readonly asked?: readonly string[];
  readonly denied?: readonly string[];
}
