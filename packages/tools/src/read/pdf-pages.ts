/** Parses the requested pages of a PDF. Pure. */

export interface PageRange {
  /** From 1, both included. */
  readonly first: number;
  readonly last: number;
}

/** The most pages of a call. */
const MAX_PAGES = 20;

/** Parses `3`, `1-5` or `7-`; all pages by default. Throws with the expected format. */
export function parsePages(pages: string | undefined): PageRange {
  if (pages === undefined) return { first: 1, last: MAX_PAGES };
  const [, from, dash, to] = /^\s*(\d+)\s*(-)?\s*(\d+)?\s*$/.exec(pages) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === undefined ? Number.MAX_SAFE_INTEGER : Number(to);
  if (from === undefined || (dash === undefined && to !== undefined) || first < 1 || last < first) {
    throw new Error(`pages is “${pages}”; expected a page or a range such as "3" or "1-5".`);
  }
  return { first, last: Math.min(last, first + MAX_PAGES - 1) };
}
