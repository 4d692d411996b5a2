/** The files' part of `/rewind`: what somebody else has changed since the agent did goes back only where the user says so. */
import type { CheckpointStore, Rewound } from '@heddle/tools';
import { harmless } from '../../terminal/harmless.ts';
import { answered, choiceDialog, type Dialog } from '../questions/dialog.ts';
import { counted } from '../render/amounts.ts';
import type { Style } from '../style.ts';
import type { Chat } from './command.ts';

/** The ids of rewinds, which can be taken back themselves, begin so. */
export const UNDO_MARK = 'rewind-';
/** Enough of such an id to tell it by. */
const SHORT_ID = UNDO_MARK.length + 8;

/** `id`: of the prompt, or of an earlier rewind. False: the user thought better of it, and nothing went back. */
export async function rewindFiles(id: string, { started, say, ask, style }: Chat): Promise<boolean> {
  const { checkpoints } = started;
  if (!checkpoints) {
    say('The files of this session are not kept.');
    return true;
  }
  const force = await askAboutOthers(checkpoints, id, { ask, style });
  if (force === undefined) return false;
  say(tellFiles(await checkpoints.rewind(id, { spareOthers: !force }), force));
  return true;
}

/** Takes a rewind back. */
export async function undoRewind(beginning: string, chat: Chat): Promise<void> {
  const [id, ...others] = (await chat.started.checkpoints?.idsLike(beginning)) ?? [];
  if (id === undefined || others.length > 0) return chat.say(`There is no rewind ${harmless(beginning)}.`);
  await rewindFiles(id, chat);
}

/** Whether their changes go, too. Nobody is asked where there are none. */
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
      paint('yellow', 'Somebody else has changed this since the agent did:'),
      ...files.map((file) => `  ${harmless(file)}`),
    ],
    [
      { key: '1', text: `leave ${it} as ${its}`, reply: () => answered(false) },
      { key: '2', text: `put ${it} back all the same; those changes go`, reply: () => answered(true) },
    ],
    { prompt: 'others> ' },
  );
}

function tellFiles(rewound: Rewound, force: boolean): string {
  if (!rewound.canRewind) return harmless(rewound.error);
  const { filesChanged, insertions, deletions, skippedLinks, changedByOthers, failed, undoId } = rewound;
  const isNothing = [filesChanged, skippedLinks, changedByOthers, failed].every((list) => list.length === 0);
  if (isNothing) return 'There is nothing to put back: the files are as they were then.';
  const byOthers = force
    ? 'with what somebody else had changed there since'
    : 'left alone, somebody else has changed it since the agent did';
  return [
    ...filesChanged.map((file) => `  ${file}`),
    `${counted(filesChanged.length, 'file')} went back, +${insertions} -${deletions} lines`,
    ...skippedLinks.map((link) => `left alone, it is a link now: ${link}`),
    ...changedByOthers.map((file) => `${byOthers}: ${file}`),
    ...failed.map(({ path, why }) => `${path}: ${why}`),
    ...(undoId === undefined ? [] : [`to take this back: /rewind ${undoId.slice(0, SHORT_ID)}`]),
  ]
    .map(harmless)
    .join('\n');
}
