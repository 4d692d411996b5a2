/**
 * Parses JSON that another part of this package has written. The page and the server are built together, so the shape is
 * known. Data of others is decoded by `@heddle/agent/sessions`.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape
export function parseOwn<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return JSON.parse(text) as T;
}
