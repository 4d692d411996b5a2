/** Formats a session as one HTML page without scripts and external resources, in light or dark colors. Pure. */
import type { Piece, SessionSummary, Transcript } from '@heddle/agent/sessions';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { facts } from '../show.ts';
import { capitalized, type SpeakerText, speakerText } from '../text/speakers.ts';
import { minuteText } from '../text/units.ts';

export function asHtml(session: SessionSummary, { items }: Transcript): string {
  const body = [...speakerText(items)].map(partHtml);
  const rows = facts(session).slice(1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escape(session.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(session.title)}</h1>
<dl>
${rows.map(([what, value]) => `<dt>${what}</dt><dd>${escape(value)}</dd>`).join('\n')}
</dl>
<main>
${body.join('\n')}
</main>
</body>
</html>
`;
}

function partHtml(next: SpeakerText): string {
  switch (next.kind) {
    case 'speaker':
      return `<h2>${next.who} <time>${minuteText(next.at)}</time></h2>`;
    case 'piece':
      return pieceHtml(next.piece, next.name);
    case 'compaction': {
      const handoff = next.handoff.map(({ text }) => folded('Handoff', text));
      return [`<p class="note">Compacted here, ${minuteText(next.at)}</p>`, ...handoff].join('\n');
    }
  }
}

function pieceHtml(piece: Piece, name: string): string {
  switch (piece.kind) {
    case 'text':
      return `<div class="${piece.role}">${escape(piece.text)}</div>`;
    case 'note':
      return `<p class="note">${escape(piece.text)}</p>`;
    case 'media':
      return picture(piece) ?? `<p class="note">${escape(piece.text)}</p>`;
    case 'thinking':
      return folded('Thinking', piece.text);
    case 'call':
      return folded(name, piece.text);
    case 'result':
      return folded(capitalized(name), piece.text, piece.isError ? 'error' : 'result');
  }
}

function folded(what: string, text: string, kind = ''): string {
  const attribute = kind === '' ? '' : ` class="${kind}"`;
  return `<details${attribute}><summary>${escape(what)}</summary><pre>${escape(text)}</pre></details>`;
}

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function picture({ source, text }: Extract<Piece, { kind: 'media' }>): string | undefined {
  if (source.type !== 'base64' || !PICTURES.has(source.media_type)) return undefined;
  if (!/^[A-Za-z0-9+/]+=*$/.test(source.data)) return undefined;
  return `<img alt="${escape(text)}" src="data:${source.media_type};base64,${source.data}">`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes HTML, and makes control characters visible. Some of them are not allowed in a page. */
function escape(text: string): string {
  return escapeControls(text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter));
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #888; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: .85rem; text-transform: capitalize; margin: 2rem 0 .5rem; }
time, .note, dt { color: var(--dim); font-weight: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .85rem; } dd { margin: 0; }
.user, .assistant { white-space: pre-wrap; margin: .5rem 0; }
.user { background: var(--soft); border-left: 3px solid var(--line); padding: .5rem .8rem; }
details { border: 1px solid var(--line); border-radius: 4px; margin: .4rem 0; padding: .2rem .6rem; font-size: .85rem; }
details.result, details.error { margin-left: 1.2rem; } .error summary { color: #c33; }
summary { cursor: pointer; } pre { white-space: pre-wrap; margin: .4rem 0; } img { max-width: 100%; }
`;
