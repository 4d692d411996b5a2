/** The message that stands in place of what a compaction replaced: the summary, and what must not depend on a summary. */
import type { WorkExtract } from './extract.ts';

export interface HandOver {
  /** Undefined where no model could be asked. */
  readonly summary: string | undefined;
  readonly extract: WorkExtract;
}

export function handOverText({ summary, extract }: HandOver): string {
  const parts = [
    summary === undefined
      ? 'The earlier part of this conversation was left out to save room. What follows was kept of it.'
      : `The earlier part of this conversation was replaced by this hand-over, which you wrote yourself.\n\n${summary}`,
    section('What the user wrote, word for word, oldest first', extract.requests.map(quoted)),
    section('The todo list as it stands', extract.todos === undefined ? [] : [extract.todos]),
    section('Files that were changed', extract.changed.map(listed)),
    section('Files that were read', missing(extract.read, summary).map(listed)),
    section(
      'Calls that failed, and were not seen to succeed since',
      missing(extract.failing, summary).map(listed),
    ),
    section('Calls whose result is missing', extract.open.map(listed)),
    'Go on with the work from here. Do not greet, do not recap, and do not ask what was already answered.',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** What the summary does not name by itself. */
function missing(items: readonly string[], summary: string | undefined): readonly string[] {
  return summary === undefined ? items : items.filter((item) => !summary.includes(item));
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `## ${title}\n${items.join('\n')}`;
}

function quoted(request: string): string {
  return `<request>\n${request}\n</request>`;
}

function listed(item: string): string {
  return `- ${item}`;
}
