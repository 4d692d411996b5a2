/** One event of the loop between messages: a retry, a compaction, a recovery, the end of a turn. */
import type { LogFact } from '../../model/facts.ts';
import { clockText, countText, durationText, sizeText, visibleText, words } from '../data/format.ts';

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

export function EventRow({ fact, isSelected }: EventRowProps) {
  const { kind, text } = describe(fact);
  return (
    <div class={`event ${kind}${isSelected ? ' selected' : ''}`} data-line={fact.line}>
      <span class="event-text">{visibleText(text)}</span>
      <time>{clockText(fact.at)}</time>
    </div>
  );
}

function describe(fact: EventFact): { readonly kind: string; readonly text: string } {
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
