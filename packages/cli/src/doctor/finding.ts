/** What one check found. */
export interface Finding {
  readonly about: string;
  /** `problem`: something that was asked for cannot work. `hint`: it works, but could be better. */
  readonly state: 'ok' | 'hint' | 'problem';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export function ok(about: string, text: string): Finding {
  return { about, state: 'ok', text };
}

export function hint(about: string, text: string, remedy: string): Finding {
  return { about, state: 'hint', text, remedy };
}

export function problem(about: string, text: string, remedy: string): Finding {
  return { about, state: 'problem', text, remedy };
}
