/** Makes a script that shows a defect as short as it can. */

/** Attempts for one script; each may start a container. */
const MOST_ATTEMPTS = 120;

/** `shows`: the script still shows the defect. */
export async function reduced(script: string, shows: (script: string) => Promise<boolean>): Promise<string> {
  let shortest = script;
  let attempts = 0;
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < shortest.length; ) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + size);
      if (attempts++ > MOST_ATTEMPTS) return shortest;
      if (shorter !== '' && (await shows(shorter))) shortest = shorter;
      else at += size;
    }
  }
  return shortest;
}
