/** A session as Markdown. Calls and results are folded where the reader's program can fold. Pure. */
import type { Piece, SessionSummary, Transcript } from '@heddle/agent/sessions';
import { harmless } from '../../terminal/harmless.ts';
import { facts } from '../show.ts';
import { oneLine } from '../text/columns.ts';
import { capitalised, told } from '../text/speakers.ts';
import { minuteText } from '../text/units.ts';
import { withoutTags } from './tags.ts';

export function asMarkdown(session: SessionSummary, { items }: Transcript): string {
  const parts = [
    `# ${plain(oneLine(session.title))}`,
    facts(session)
      .slice(1)
      .map(([what, value]) => `- ${what}: \`${oneLine(value).replaceAll('`', "'")}\``)
      .join('\n'),
  ];
  for (const next of told(items)) {
    if (next.kind === 'speaker') parts.push(`## ${HEADINGS[next.who]} (${minuteText(next.at)})`);
    else if (next.kind === 'piece') parts.push(pieceText(next.piece, next.name));
    else {
      parts.push(`---\n\n*Compacted here, ${minuteText(next.at)}.*`);
      for (const { text } of next.handOver) parts.push(folded('Hand-over', text));
    }
  }
  // A text to read: also what a terminal shows of it must be harmless.
  return `${harmless(parts.join('\n\n'))}\n`;
}

const HEADINGS = { user: 'User', assistant: 'Assistant', system: 'Note' } as const;

function pieceText(piece: Piece, name: string): string {
  switch (piece.kind) {
    case 'text':
      return withoutTags(piece.text);
    case 'note':
    case 'media':
      return `*${plain(oneLine(piece.text))}*`;
    case 'thinking':
      return folded('Thinking', piece.text);
    case 'call':
    case 'result':
      return folded(capitalised(name), piece.text);
  }
}

function folded(summary: string, text: string): string {
  // Longer than any fence inside, so that the text cannot end it.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `<details><summary>${plain(oneLine(summary))}</summary>\n\n${fence}\n${text.trimEnd()}\n${fence}\n\n</details>`;
}

/** Nothing in it means anything to Markdown or HTML. */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]#]/g, String.raw`\$&`);
}
