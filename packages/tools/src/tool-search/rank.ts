/** Which tools a query means: by name, or by the words in their names and descriptions. */
export interface Named {
  readonly name: string;
  readonly description: string;
}

const SELECT = 'select:';
/** A word in a name says more than one in a description. */
const IN_NAME = 5;
const IN_DESCRIPTION = 1;

export function matching<Item extends Named>(items: readonly Item[], query: string, limit: number): Item[] {
  if (query.startsWith(SELECT)) {
    const names = new Set(
      query
        .slice(SELECT.length)
        .split(',')
        .map((name) => name.trim().toLowerCase()),
    );
    return items.filter(({ name }) => names.has(name.toLowerCase()));
  }
  // Words of one or two letters stand in every description.
  const words = wordsOf(query).filter((word) => word.length > 2);
  return items
    .map((item) => ({ item, score: scoreOf(item, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.item.name < right.item.name ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);
}

function scoreOf({ name, description }: Named, words: readonly string[]): number {
  const inName = wordsOf(name);
  const inDescription = wordsOf(description);
  let score = 0;
  for (const word of words) {
    if (inName.some((part) => part.startsWith(word))) score += IN_NAME;
    if (inDescription.some((part) => part === word || (word.length > 3 && part.startsWith(word))))
      score += IN_DESCRIPTION;
  }
  return score;
}

/** `mcp__github__createIssue` → mcp, github, create, issue. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
