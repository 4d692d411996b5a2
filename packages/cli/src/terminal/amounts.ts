/** Formats durations, prices and counts. */

export function durationText(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Amounts under 10 cents get four decimals. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** The cost of a session. Null represents a model whose price is unknown. */
export function sessionCost(costUsd: number, models: readonly (number | null)[]): string {
  if (models.length > 0 && models.every((cost) => cost === null))
    return 'The cost of this session is unknown: its models have no known price.';
  const isPart = models.includes(null);
  return `${dollars(costUsd)} in this session${isPart ? ', as far as prices are known' : ''}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 100_000 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats an age, rounded down. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** Joins the text to one line, and cuts it to `most` characters. */
export function shortened(text: string, most: number, more = '…'): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - more.length).trimEnd()}${more}`;
}
