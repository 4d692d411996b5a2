/** What gathered beside the conversation, in words. Only a queued command is the user's own; the rest is a reminder. */
import { type ContentBlock, text } from '../../messages/blocks.ts';
import { reminder, SENT_MEANWHILE } from '../texts.ts';
import { type Dict, isBlank, isDict, wellFormed } from './clean-json.ts';
import { type Mend, readWords } from './sanitise.ts';

export function attachmentBlocks(attachment: unknown, mend: Mend): readonly ContentBlock[] {
  if (!isDict(attachment)) {
    mend('an attachment that could not be read was left out');
    return [];
  }
  if (attachment['kind'] === 'queued_command') return queuedCommand(attachment['prompt'], mend);
  const words = wordsOf(attachment);
  if (words === undefined) mend('an attachment of an unknown kind was left out');
  return words === undefined || isBlank(words) ? [] : [text(reminder(wellFormed(words)))];
}

function queuedCommand(prompt: unknown, mend: Mend): readonly ContentBlock[] {
  const { rest } = readWords(prompt, mend);
  const [first, ...more] = rest;
  if (first === undefined) return [];
  return first.type === 'text'
    ? [text(`${SENT_MEANWHILE}\n${first.text}`), ...more]
    : [text(SENT_MEANWHILE), ...rest];
}

function wordsOf(attachment: Dict): string | undefined {
  const of = (field: string): string => {
    const value = attachment[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  switch (attachment['kind']) {
    case 'changed_file':
      return `${of('path')} was changed on disk, by the user or by a program, after you last read it. ${of('note')}`;
    case 'memory':
      return `From the memory file ${of('path')}, written in an earlier session (it may be out of date):\n\n${of('text')}`;
    case 'skills':
    case 'reminder':
    case 'task_ended':
      return of('text');
    case 'max_turns_reached':
      return `The limit of ${of('maxTurns')} turns was reached; the work was stopped there.`;
    case 'hook_stopped_continuation':
      return `The hook ${of('hook')} stopped the work here: ${of('reason')}`;
    default:
      return undefined;
  }
}
