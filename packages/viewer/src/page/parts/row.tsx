/** The rows of the transcript: a message with its parts, or an event of the loop between messages. */
import { useState } from 'preact/hooks';
import type { TranscriptRow, ViewerSource } from '../../model/api.ts';
import type { LogFact } from '../../model/facts.ts';
import {
  clockText,
  countText,
  dateText,
  durationText,
  sizeText,
  visibleText,
  words,
} from '../data/format.ts';
import { go } from '../data/route.ts';
import { Part, type RowContext } from './row-part.tsx';

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

interface ForkPanelProps {
  readonly source: ViewerSource;
  readonly id: string;
  readonly uuid: string;
  /** The folder of the session, in which the command must run. */
  readonly cwd: string;
  /** The server may start a session. */
  readonly canFork: boolean;
  readonly onClose: () => void;
}

/** Continues a session from one of its messages, as a new session: with a command, or from the page. */
function ForkPanel({ source, id, uuid, cwd, canFork, onClose }: ForkPanelProps) {
  const [prompt, setPrompt] = useState('');
  const [message, setMessage] = useState('');
  const command = `cd ${quoted(cwd)} && heddle --resume ${id} --fork-session --resume-session-at ${quoted(uuid)}`;
  const start = (): void => {
    setMessage('Starting…');
    source.fork(id, uuid, prompt).then(
      (forked) => go({ page: 'session', id: forked, view: 'transcript', line: undefined }),
      (thrown: unknown) => setMessage(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  return (
    <div class="fork" role="dialog" aria-label="Fork from here">
      <p>This command continues from this message as a new session. The old one stays as it is.</p>
      <pre class="plain">{command}</pre>
      <div class="toolbar">
        <button type="button" onClick={() => void navigator.clipboard.writeText(command)}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {canFork ? (
        <form
          class="toolbar"
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <input
            type="search"
            placeholder="Prompt of the new session"
            aria-label="Prompt of the new session"
            value={prompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
          />
          <button type="submit" disabled={prompt.trim() === ''}>
            Start
          </button>
        </form>
      ) : null}
      {message === '' ? null : <p role="status">{message}</p>}
    </div>
  );
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export type EventFact = Extract<
  LogFact,
  { type: 'retry' | 'context' | 'transition' | 'rewind' | 'end' | 'damaged' }
>;

/** The normal way to continue is not worth a row. */
export function isEventFact(fact: LogFact): fact is EventFact {
  switch (fact.type) {
    case 'retry':
    case 'context':
    case 'rewind':
    case 'end':
    case 'damaged':
      return true;
    case 'transition':
      return fact.reason !== 'next_turn';
    default:
      return false;
  }
}

interface EventRowProps {
  readonly fact: EventFact;
  readonly isSelected: boolean;
}

/** One event of the loop between messages: a retry, a compaction, a recovery, the end of a turn. */
export function EventRow({ fact, isSelected }: EventRowProps) {
  const { kind, text } = describeEvent(fact);
  return (
    <div class={`event ${kind}${isSelected ? ' selected' : ''}`} data-line={fact.line}>
      <span class="event-text">{visibleText(text)}</span>
      <time>{clockText(fact.at)}</time>
    </div>
  );
}

function describeEvent(fact: EventFact): { readonly kind: string; readonly text: string } {
  switch (fact.type) {
    case 'retry': {
      const wait = fact.delayMs > 0 ? ` in ${durationText(fact.delayMs)}` : '';
      return { kind: 'retry', text: `Attempt ${fact.attempt}${wait}: ${words(fact.error)}. ${fact.message}` };
    }
    case 'context': {
      const { level, tokensBefore, tokensAfter, failed } = fact;
      if (failed !== undefined) return { kind: 'bad', text: `${words(level)} failed: ${failed}` };
      const change = `${countText(tokensBefore)} → ${countText(tokensAfter)} tokens`;
      return { kind: 'context', text: `${words(level)}: ${change}` };
    }
    case 'transition':
      return { kind: 'recovery', text: [words(fact.reason), fact.details].filter(Boolean).join(': ') };
    case 'rewind':
      return { kind: 'context', text: 'Rewound: the messages above stay in the log only.' };
    case 'end':
      return {
        kind: fact.reason === 'completed' ? 'end' : 'bad',
        text: [words(fact.reason), fact.message].filter(Boolean).join(': '),
      };
    case 'damaged':
      return { kind: 'bad', text: `Line ${fact.line + 1} (${sizeText(fact.size)}) could not be read.` };
  }
}
