/** How a text ends its lines. */

/** The more frequent one; undefined where there is none. */
export function lineEndingOf(text: string): '\n' | '\r\n' | undefined {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text.charCodeAt(at - 1) === 0x0d) windows += 1;
  }
  if (all === 0) return undefined;
  return windows * 2 > all ? '\r\n' : '\n';
}
