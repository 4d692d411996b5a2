/** A session as Markdown. Calls and results are folded where the reader's program can fold. Pure. */
import type { Piece, SessionSummary, Transcript } from '@heddle/agent/sessions';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { facts } from '../show.ts';
import { oneLine } from '../text/columns.ts';
import { capitalized, speakerText } from '../text/speakers.ts';
import { minuteText } from '../text/units.ts';

export function asMarkdown(session: SessionSummary, { items }: Transcript): string {
  const parts = [
    `# ${plain(oneLine(session.title))}`,
    facts(session)
      .slice(1)
      .map(([what, value]) => `- ${what}: \`${oneLine(value).replaceAll('`', "'")}\``)
      .join('\n'),
  ];
  for (const next of speakerText(items)) {
    if (next.kind === 'speaker') parts.push(`## ${HEADINGS[next.who]} (${minuteText(next.at)})`);
    else if (next.kind === 'piece') parts.push(pieceText(next.piece, next.name));
    else {
      parts.push(`---\n\n*Compacted here, ${minuteText(next.at)}.*`);
      for (const { text } of next.handOver) parts.push(folded('Hand-over', text));
    }
  }
  // A text to read: also what a terminal shows of it must be harmless.
  return `${escapeControls(parts.join('\n\n'))}\n`;
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
      return folded(capitalized(name), piece.text);
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
/** Markdown in which HTML is shown and not obeyed: a page may not load or run what somebody said. Code stays as it is. Pure. */

function withoutTags(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence !== '') {
        if (mark.startsWith(fence) && line.trim() === mark) fence = '';
        return line;
      }
      fence = mark;
      return mark === '' ? shown(line) : line;
    })
    .join('\n');
}

/** A piece of code within a line: as many marks before it as behind it. */
const CODE = /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g;

function shown(line: string): string {
  let at = 0;
  let text = '';
  for (const { index, 0: code } of line.matchAll(CODE)) {
    text += escaped(line.slice(at, index)) + code;
    at = index + code.length;
  }
  return text + escaped(line.slice(at));
}

/** Tags, and images: looking at a text must not ask somebody's server for one. */
function escaped(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;').replaceAll('![', String.raw`!\[`);
}
