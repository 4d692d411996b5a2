/** Formats a session as Markdown. Calls and results are in `<details>` elements, which many viewers fold. Pure. */
import type { Piece, SessionSummary, Transcript } from '@heddle/agent/sessions';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { facts } from '../show.ts';
import { oneLine } from '../../terminal/width.ts';
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
      for (const { text } of next.handoff) parts.push(folded('Handoff', text));
    }
  }
  // The text may be shown in a terminal.
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
  // The fence is longer than any fence in the text, so that the text cannot close it.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `<details><summary>${plain(oneLine(summary))}</summary>\n\n${fence}\n${text.trimEnd()}\n${fence}\n\n</details>`;
}

/** Escapes all characters that have a meaning in Markdown or HTML. */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]#]/g, String.raw`\$&`);
}

/** Escapes HTML in Markdown, so that the text of a message cannot load or run anything. Code blocks stay unchanged. */
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

/** Inline code: the same number of backticks before and after it. */
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

/** Escapes tags and images. An image would be loaded from a server when the text is displayed. */
function escaped(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;').replaceAll('![', String.raw`!\[`);
}
