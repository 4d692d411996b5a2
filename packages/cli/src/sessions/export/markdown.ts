/** A session as Markdown. Calls and results are folded where the reader's program can fold. Pure. */
import { type Piece, piecesOf, type SessionSummary, type Transcript } from '@heddle/agent/sessions';
import { facts } from '../show.ts';
import { oneLine } from '../text/columns.ts';
import { minuteText } from '../text/units.ts';

export function asMarkdown(session: SessionSummary, { items }: Transcript): string {
  const parts = [
    `# ${plain(oneLine(session.title))}`,
    facts(session)
      .slice(1)
      .map(([what, value]) => `- ${what}: \`${oneLine(value).replaceAll('`', "'")}\``)
      .join('\n'),
  ];
  let speaker = '';
  for (const item of items) {
    if (item.kind === 'compaction') {
      parts.push(`---\n\n*Compacted here, ${minuteText(item.at)}.*`);
      for (const { text } of item.handOver.flatMap(handOverPieces)) parts.push(folded('Hand-over', text));
      speaker = '';
      continue;
    }
    for (const piece of piecesOf(item.message)) {
      const next = piece.role === 'tool' ? 'assistant' : piece.role;
      if (next !== speaker) parts.push(`## ${HEADINGS[next]} (${minuteText(item.message.at)})`);
      speaker = next;
      parts.push(pieceText(piece));
    }
  }
  return `${parts.join('\n\n')}\n`;
}

const HEADINGS = { user: 'User', assistant: 'Assistant', system: 'Note' } as const;

/** A hand-over is written for the model: what it says is hidden from people elsewhere. */
export function handOverPieces(message: Parameters<typeof piecesOf>[0]): Piece[] {
  if (message.type !== 'user') return piecesOf(message);
  const { isMeta: _hidden, ...shown } = message;
  return piecesOf(shown);
}

function pieceText(piece: Piece): string {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'note':
    case 'media':
      return `*${plain(piece.text)}*`;
    case 'thinking':
      return folded('Thinking', piece.text);
    case 'call':
      return folded(piece.tool, piece.text);
    case 'result':
      return folded(piece.isError ? 'Error' : 'Result', piece.text);
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
