/** `/rewind`: back to before an earlier prompt, with the conversation, the files, or both. */
import type { Message } from '@heddle/core';
import type { CheckpointStore, Rewound } from '@heddle/tools';
import { escapeControls } from '../terminal/escape-controls.ts';
import { promptFromText } from '../sessions/text/prompt-text.ts';
import { again, answered, choiceDialog, type Dialog, dialogLines } from '../terminal/dialog.ts';
import { ago, pluralize, shortened } from '../terminal/amounts.ts';
import type { Style } from '../terminal/style.ts';
import type { Chat } from './command.ts';

/** Prompts to choose from, the newest ones. */
const SHOWN = 15;

export async function rewindSlash(words: string, chat: Chat): Promise<void> {
  const { started, say, ask, style, hasTerminal } = chat;
  if (words.startsWith(UNDO_MARK)) return undoRewind(words, chat);
  const [, number = words, named] = /^(.*?)\s+(both|conversation|files)$/i.exec(words) ?? [];
  const messages = [...started.agent.messages];
  const prompts = messages.flatMap(earlierPrompt).slice(-SHOWN);
  const missing = missingNote(messages);
  if (missing !== undefined) say(missing);
  if (prompts.length === 0) return say('There is nothing to go back to.');
  const choice = promptDialog(prompts, style);
  const chosen = number === '' ? undefined : choice.read(number);
  if (chosen?.kind === 'more') return say(dialogLines(chosen.dialog).join('\n'));
  if (!chosen && !hasTerminal) return say([...dialogLines(choice), USAGE].join('\n'));
  const prompt = chosen?.answer ?? (await ask(choice));
  if (!prompt) return;
  const what = WHATS.find((known) => known === named?.toLowerCase()) ?? (await askWhat(chat));
  if (what === undefined) return;
  if (what !== 'conversation' && !(await rewindFilesSlash(prompt.uuid, chat))) return;
  if (what === 'files') return;
  const rewound = started.agent.rewindBefore(prompt.uuid);
  if (!rewound.ok) return say(rewound.message);
  const isBelow = chat.putPrompt(prompt.text);
  say(`The conversation is back before that prompt.${isBelow ? ' It is in the line below.' : ''}`);
}

const USAGE = 'Type /rewind NUMBER, and conversation, files or both (the default).';

/** Without a user to ask, everything goes back that can. */
async function askWhat({ started, ask, hasTerminal }: Chat): Promise<What | undefined> {
  const keepsFiles = started.checkpoints !== undefined;
  if (!hasTerminal) return keepsFiles ? 'both' : 'conversation';
  return ask(whatDialog(keepsFiles));
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
  const text = promptFromText(message);
  return text === undefined ? [] : [{ uuid: message.uuid, at: message.at, text }];
}

function promptDialog(prompts: readonly EarlierPrompt[], { paint }: Style): Dialog<EarlierPrompt> {
  const dialog: Dialog<EarlierPrompt> = {
    lines: ['Back to before which one? A number, or Ctrl-C.'],
    choices: prompts.map(({ text, at }, index) => ({
      key: String(index + 1),
      text: `${escapeControls(shortened(text, 70))}  ${paint('dim', ago(Date.now() - at))}`,
    })),
    prompt: 'rewind> ',
    isSearchable: true,
    read(line) {
      const typed = line.trim();
      const chosen = /^\d{1,3}$/.test(typed) ? prompts[Number(typed) - 1] : undefined;
      return chosen ? answered(chosen) : again(dialog, `Type a number from 1 to ${prompts.length}.`);
    },
  };
  return dialog;
}

const WHATS = ['both', 'conversation', 'files'] as const;
type What = (typeof WHATS)[number];

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

/** The ids of rewinds start with this mark. A rewind can be undone by its id. */
export const UNDO_MARK = 'rewind-';
/** The length of the part of the id that is shown. */
const SHORT_ID = UNDO_MARK.length + 8;

/** Restores the files. `id`: of a prompt, or of an earlier rewind. Returns false if the user canceled. */
export async function rewindFilesSlash(id: string, chat: Chat): Promise<boolean> {
  const { started, say, ask, style, hasTerminal } = chat;
  const { checkpoints } = started;
  if (!checkpoints) {
    say('The files of this session are not stored, so they cannot be restored.');
    return true;
  }
  const force = hasTerminal && (await askAboutOthers(checkpoints, id, { ask, style }));
  if (force === undefined) return false;
  say(tellFiles(await checkpoints.rewind(id, { spareOthers: !force }), force));
  return true;
}

/** Undoes a rewind. */
export async function undoRewind(beginning: string, chat: Chat): Promise<void> {
  const [id, ...others] = (await chat.started.checkpoints?.idsLike(beginning)) ?? [];
  if (id === undefined || others.length > 0)
    return chat.say(`There is no rewind ${escapeControls(beginning)}.`);
  await rewindFilesSlash(id, chat);
}

/** Asks whether to restore files that changed outside the session. Returns undefined if the user canceled. */
async function askAboutOthers(
  checkpoints: CheckpointStore,
  id: string,
  { ask, style }: Pick<Chat, 'ask' | 'style'>,
): Promise<boolean | undefined> {
  const preview = await checkpoints.rewind(id, { dryRun: true });
  const files = preview.canRewind ? preview.changedByOthers : [];
  return files.length === 0 ? false : ask(othersDialog(files, style));
}

function othersDialog(files: readonly string[], { paint }: Style): Dialog<boolean> {
  const [it, its] = files.length === 1 ? ['it', 'it is'] : ['them', 'they are'];
  return choiceDialog(
    [
      paint('yellow', 'Changed outside the session since the agent wrote it:'),
      ...files.map((file) => `  ${escapeControls(file)}`),
    ],
    [
      { key: '1', text: `keep ${it} as ${its}`, reply: () => answered(false) },
      { key: '2', text: `restore ${it} anyway; those changes are lost`, reply: () => answered(true) },
    ],
    { prompt: 'others> ' },
  );
}

function tellFiles(rewound: Rewound, force: boolean): string {
  if (!rewound.canRewind) return escapeControls(rewound.error);
  const { filesChanged, insertions, deletions, skippedLinks, changedByOthers, failed, undoId } = rewound;
  const isNothing = [filesChanged, skippedLinks, changedByOthers, failed].every((list) => list.length === 0);
  if (isNothing) return 'There is nothing to restore. The files have not changed since that message.';
  const byOthers = force
    ? 'restored, although it was changed outside the session'
    : 'not restored, because it was changed outside the session';
  return [
    ...filesChanged.map((file) => `  ${file}`),
    `${pluralize(filesChanged.length, 'file')} restored, +${insertions} -${deletions} lines`,
    ...skippedLinks.map((link) => `not restored, because it is a link now: ${link}`),
    ...changedByOthers.map((file) => `${byOthers}: ${file}`),
    ...failed.map(({ path, why }) => `${path}: ${why}`),
    ...(undoId === undefined ? [] : [`to undo this: /rewind ${undoId.slice(0, SHORT_ID)}`]),
  ]
    .map(escapeControls)
    .join('\n');
}
