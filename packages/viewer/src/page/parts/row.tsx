/** One row of the transcript: a message with its parts. Long texts are opened on demand. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FileChange, RowPart, TranscriptRow, ViewerSource } from '../../model/api.ts';
import { clockText, dateText, sizeText, visibleText } from '../data/format.ts';
import { diffLines } from '../data/diff-lines.ts';
import { ForkPanel } from './fork-panel.tsx';
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

interface RowProps {
  readonly row: TranscriptRow;
  readonly context: RowContext;
  readonly isSelected: boolean;
  /** The row above has the same role, so the name is not repeated. */
  readonly isContinued: boolean;
  readonly onSelect: (line: number) => void;
}

const ROLE_NAMES: Readonly<Record<TranscriptRow['role'], string>> = {
  user: 'You',
  assistant: 'Model',
  tool: 'Result',
  system: 'Heddle',
};

export function Row({ row, context, isSelected, isContinued, onSelect }: RowProps) {
  const { line, at, role, uuid, parts } = row;
  const [isForking, setIsForking] = useState(false);
  return (
    <article
      class={`row ${role}${isSelected ? ' selected' : ''}${isContinued ? ' continued' : ''}`}
      data-line={line}
    >
      <header>
        <span class="role">{ROLE_NAMES[role]}</span>
        <a
          href={`#line-${line}`}
          title={`${dateText(at)}, line ${line + 1}`}
          onClick={(event) => {
            event.preventDefault();
            onSelect(line);
          }}
        >
          <time>{clockText(at)}</time>
        </a>
        {uuid === '' || context.source.kind === 'file' ? null : (
          <button type="button" class="link fork-button" onClick={() => setIsForking(!isForking)}>
            fork from here
          </button>
        )}
      </header>
      {isForking ? <ForkPanel {...context} uuid={uuid} onClose={() => setIsForking(false)} /> : null}
      {parts.map((part, index) => (
        <Part key={index} part={part} line={line} index={index} context={context} />
      ))}
    </article>
  );
}

interface PartProps {
  readonly part: RowPart;
  readonly line: number;
  readonly index: number;
  readonly context: RowContext;
}

function Part({ part, line, index, context }: PartProps) {
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
