/** Shows text with a little markdown: code, headings, lists and bold. Everything becomes elements, never HTML. */
import type { ComponentChild } from 'preact';
import { visibleText } from '../data/format.ts';

interface RichTextProps {
  readonly text: string;
  /** Words to mark. */
  readonly words: string;
}

export function RichText({ text, words }: RichTextProps) {
  return <div class="rich">{blocksOf(visibleText(text)).map((block) => showBlock(block, words))}</div>;
}

/** Shows text as it is, in a fixed-width font. */
export function PlainText({ text, words }: RichTextProps) {
  return <pre class="plain">{markWords(visibleText(text), words)}</pre>;
}

type Block =
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'heading' | 'item' | 'paragraph'; readonly text: string };

const FENCE = /^\s*(```|~~~)\s*([\w+-]*)/;

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const close = (): void => {
    if (paragraph.some((line) => line.trim() !== ''))
      blocks.push({ kind: 'paragraph', text: paragraph.join('\n') });
    paragraph = [];
  };
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (fence) {
      close();
      const end = lines.findIndex((other, index) => index > at && other.trim() === fence[1]);
      const last = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n'), language: fence[2] ?? '' });
      at = last;
    } else if (/^#{1,4} /.test(line)) {
      close();
      blocks.push({ kind: 'heading', text: line.replace(/^#+ /, '') });
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      close();
      blocks.push({ kind: 'item', text: line });
    } else if (line.trim() === '') close();
    else paragraph.push(line);
  }
  close();
  return blocks;
}

function showBlock(block: Block, words: string) {
  switch (block.kind) {
    case 'code':
      return <pre class="code">{markWords(block.text, words)}</pre>;
    case 'heading':
      return <h3>{inline(block.text, words)}</h3>;
    case 'item': {
      const [, space = '', bullet = '', rest = ''] = /^(\s*)([-*]|\d+\.) (.*)$/.exec(block.text) ?? [];
      const depth = Math.min(4, Math.floor(space.length / 2));
      return (
        <p class={`item depth-${depth}`}>
          <span class="bullet">{/\d/.test(bullet) ? bullet : '•'}</span>
          <span>{inline(rest, words)}</span>
        </p>
      );
    }
    case 'paragraph':
      return <p>{inline(block.text, words)}</p>;
  }
}

function inline(text: string, words: string): ComponentChild[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece) => {
    if (/^`.+`$/.test(piece)) return <code>{markWords(piece.slice(1, -1), words)}</code>;
    if (/^\*\*.+\*\*$/.test(piece)) return <strong>{markWords(piece.slice(2, -2), words)}</strong>;
    return markWords(piece, words);
  });
}

/** Words without a capital letter match in any case. */
function markWords(text: string, words: string): ComponentChild {
  if (words.trim() === '') return text;
  const source = words.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const pieces = text.split(new RegExp(`(${source})`, words === words.toLowerCase() ? 'i' : ''));
  if (pieces.length === 1) return text;
  return pieces.map((piece, index) => (index % 2 === 1 ? <mark>{piece}</mark> : piece));
}
