/** `/rewind`: back to before an earlier prompt, with the conversation, the files, or both. */
import type { Message } from '@heddle/core';
import { promptOf } from '../prompts/prompt-of.ts';
import { harmless } from '../../terminal/harmless.ts';
import { again, answered, choiceDialog, type Dialog } from '../questions/dialog.ts';
import { ago, shortened } from '../render/amounts.ts';
import type { Style } from '../style.ts';
import type { Chat } from './command.ts';
import { rewindFiles, UNDO_MARK, undoRewind } from './rewind-files.ts';

/** Prompts to choose from, the newest ones. */
const SHOWN = 15;

export async function rewind(words: string, chat: Chat): Promise<void> {
  const { started, say, ask, style } = chat;
  if (words.startsWith(UNDO_MARK)) return undoRewind(words, chat);
  const messages = [...started.agent.messages];
  const prompts = messages.flatMap(earlierPrompt).slice(-SHOWN);
  const missing = missingNote(messages);
  if (missing !== undefined) say(missing);
  if (prompts.length === 0) return say('There is nothing to go back to.');
  const named = words === '' ? undefined : promptDialog(prompts, style).read(words);
  if (named?.kind === 'more') return say(named.dialog.lines.join('\n'));
  const prompt = named?.answer ?? (await ask(promptDialog(prompts, style)));
  if (!prompt) return;
  const what = await ask(whatDialog(started.checkpoints !== undefined));
  if (what === undefined) return;
  if (what !== 'conversation' && !(await rewindFiles(prompt.uuid, chat))) return;
  if (what === 'files') return;
  const rewound = started.agent.rewindBefore(prompt.uuid);
  if (!rewound.ok) return say(rewound.message);
  say('The conversation is back before that prompt. It is in the line below.');
  chat.put(prompt.text);
}

/** Why there are no more of them. */
export function missingNote(messages: readonly Message[]): string | undefined {
  const isCompacted = messages.some(
    (message) => message.type === 'system' && message.subtype === 'compact_boundary',
  );
  return isCompacted ? 'Earlier prompts were compacted: /uncompact brings them back.' : undefined;
}

interface EarlierPrompt {
  readonly uuid: string;
  readonly at: number;
  readonly text: string;
}

function earlierPrompt(message: Message): EarlierPrompt[] {
  const text = promptOf(message);
  return text === undefined ? [] : [{ uuid: message.uuid, at: message.at, text }];
}

function promptDialog(prompts: readonly EarlierPrompt[], { paint }: Style): Dialog<EarlierPrompt> {
  const dialog: Dialog<EarlierPrompt> = {
    lines: [
      ...prompts.map(({ text, at }, index) => {
        const when = paint('dim', ago(Date.now() - at));
        return `${String(index + 1).padStart(3)}  ${harmless(shortened(text, 70))}  ${when}`;
      }),
      'Back to before which one? A number, or Ctrl-C.',
    ],
    prompt: 'rewind> ',
    read(line) {
      const typed = line.trim();
      const chosen = /^\d{1,3}$/.test(typed) ? prompts[Number(typed) - 1] : undefined;
      return chosen ? answered(chosen) : again(dialog, `Type a number from 1 to ${prompts.length}.`);
    },
  };
  return dialog;
}

type What = 'both' | 'conversation' | 'files';

function whatDialog(keepsFiles: boolean): Dialog<What> {
  const conversation = {
    key: '2',
    text: 'the conversation only',
    reply: () => answered<What>('conversation'),
  };
  if (!keepsFiles) return choiceDialog(['What goes back?'], [conversation], { prompt: 'what> ' });
  return choiceDialog(
    ['What goes back?'],
    [
      {
        key: '1',
        text: 'the conversation and the files the agent changed',
        reply: () => answered<What>('both'),
      },
      conversation,
      { key: '3', text: 'the files only', reply: () => answered<What>('files') },
    ],
    { prompt: 'what> ' },
  );
}
