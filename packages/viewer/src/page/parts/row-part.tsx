/** One part of a message in the transcript: a text, a call, a result, a picture. Long texts are opened on demand. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FileChange, RowPart, ViewerSource } from '../../model/api.ts';
import { sizeText, visibleText } from '../data/format.ts';
import { PlainText, RichText } from './rich-text.tsx';

export interface RowContext {
  readonly source: ViewerSource;
  readonly id: string;
  /** Words to mark. */
  readonly words: string;
  readonly canFork: boolean;
  /** The folder of the session. */
  readonly cwd: string;
  /** The tool of each call, for its result. */
  readonly toolOf: (callId: string) => string;
}

interface PartProps {
  readonly part: RowPart;
  readonly line: number;
  readonly index: number;
  readonly context: RowContext;
}

export function Part({ part, line, index, context }: PartProps) {
  const [whole, setWhole] = useState<string>();
  const text = whole ?? part.text;
  const missing = part.size - text.length;
  const load = (): void => {
    void context.source.text(context.id, line, index).then(setWhole);
  };
  const more =
    missing <= 0 ? null : context.source.kind === 'file' ? (
      <p class="dim">The export contains only the beginning of {sizeText(part.size)}.</p>
    ) : (
      <button type="button" class="more" onClick={load}>
        Show all ({sizeText(part.size)})
      </button>
    );
  switch (part.kind) {
    case 'text':
      return (
        <>
          <RichText text={text} words={context.words} />
          {more}
        </>
      );
    case 'thinking':
      return (
        <Fold kind="thinking" isOpen={false} summary="Thinking">
          <PlainText text={text} words={context.words} />
          {more}
        </Fold>
      );
    case 'note':
      return (
        <Fold kind="note" isOpen={text.length < 200} summary={visibleText(text.slice(0, 120))}>
          <PlainText text={text} words={context.words} />
          {more}
        </Fold>
      );
    case 'call':
      return (
        <Fold
          kind="call"
          isOpen={part.change !== undefined || context.words !== ''}
          summary={
            <>
              <b class="tool">{visibleText(part.tool)}</b> <code>{visibleText(part.about)}</code>
            </>
          }
        >
          {part.change ? <Diff change={part.change} /> : <PlainText text={text} words={context.words} />}
          {more}
        </Fold>
      );
    case 'result':
      return (
        <Fold
          kind={part.isError ? 'result error' : 'result'}
          isOpen={isShort(text) || context.words !== ''}
          summary={
            <>
              {part.isError ? 'Error of ' : 'Result of '}
              <b class="tool">{visibleText(context.toolOf(part.callId) || 'a call')}</b>{' '}
              <span class="dim">{sizeText(part.size)}</span>
            </>
          }
        >
          <PlainText text={text} words={context.words} />
          {more}
        </Fold>
      );
    case 'media':
      if (text === '')
        return (
          <button type="button" class="more" onClick={load}>
            Show picture ({sizeText(part.size)})
          </button>
        );
      return <img alt="A picture of the conversation" src={`data:${part.mediaType};base64,${text}`} />;
  }
}

interface FoldProps {
  readonly kind: string;
  readonly isOpen: boolean;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part that can be opened. Its content exists only while it is open. */
function Fold({ kind, isOpen, summary, children }: FoldProps) {
  const [isShown, setIsShown] = useState(isOpen);
  return (
    <details class={`fold ${kind}`} open={isOpen} onToggle={(event) => setIsShown(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isShown || isOpen ? children : null}
    </details>
  );
}

function isShort(text: string): boolean {
  return text.length < 1_200 && text.split('\n').length <= 14;
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function Diff({ change }: { readonly change: FileChange }) {
  return (
    <div class="diff" role="figure" aria-label={`Change of ${change.path}`}>
      <div class="diff-path">{visibleText(change.path)}</div>
      {diffLines(change.before, change.after).map(({ kind, text }, index) => (
        <div key={index} class={`diff-line ${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <span>{visibleText(text)}</span>
        </div>
      ))}
    </div>
  );
}

interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The table of the comparison has at most this number of cells. Larger changes are shown as a whole. */
const MAX_CELLS = 400_000;

/** Unchanged lines that are shown around a change. */
const AROUND = 3;

/** Compares two texts line by line. */
function diffLines(before: string, after: string): DiffLine[] {
  const left = before === '' ? [] : before.split('\n');
  const right = after === '' ? [] : after.split('\n');
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++;
  const head = left.slice(Math.max(0, start - AROUND), start);
  const tail = left.slice(left.length - end, left.length - end + AROUND);
  return [
    ...head.map(same),
    ...changedLines(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...tail.map(same),
  ];
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

/** Finds the longest common subsequence of lines. */
function changedLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (left.length * right.length > MAX_CELLS) return [...left.map(removed), ...right.map(added)];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const [one, two] = [left[row], right[column]];
    if (one !== undefined && one === two) {
      lines.push(same(one));
      row++;
      column++;
    } else if (one !== undefined && (two === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(one));
      row++;
    } else if (two !== undefined) {
      lines.push(added(two));
      column++;
    }
  }
  return lines;
}
