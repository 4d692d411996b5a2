/** What happens to typed lines that were not sent: they come back one by one, and nothing becomes part of something else. Pure. */

export interface Unsent {
  /** Words for the model, as one text. */
  readonly prompt: string | undefined;
  /** Commands of the user's own, and slash commands. */
  readonly commands: readonly string[];
}

export interface Returned {
  /** Put back into the line being typed. */
  readonly draft: string | undefined;
  /** Not in the line: what is for the shell must not reach the model as words, nor the other way round. */
  readonly aside: readonly string[];
}

export function returned({ prompt, commands }: Unsent): Returned {
  if (prompt !== undefined) return { draft: prompt, aside: commands };
  const [first, ...others] = commands;
  return { draft: first, aside: others };
}
