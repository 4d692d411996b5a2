/** `heddle rewind SESSION [MESSAGE] [--dry-run]`: restores the files that the agent changed after a message. */
import { existsSync } from 'node:fs';
import { transcriptPartsOf, readTranscript, type SessionSummary } from '@heddle/agent/sessions';
import { isInterruption } from '@heddle/core';
import { CheckpointStore, type Rewound } from '@heddle/tools';
import { fileHistory } from '../start/session-tools.ts';
import { pluralize } from '../terminal/amounts.ts';
import { pick } from '../sessions/pick.ts';
import { oneLine } from '../terminal/width.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, warn, writeMessage } from '../terminal/write-message.ts';

const USAGE =
  'usage: heddle rewind SESSION [MESSAGE] [--dry-run] [--force] [--json]; without MESSAGE it lists the messages';
const FLAGS: ReadonlySet<string> = new Set(['--dry-run', '--force', '--json']);

interface RewindOptions {
  readonly dryRun: boolean;
  /** Also restores files that were changed outside the session. */
  readonly force: boolean;
  readonly json: boolean;
}

export async function rewindCommand(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  const [name, messageId, ...more] = argv.filter((word) => !FLAGS.has(word));
  if (name === undefined || more.length > 0 || [name, messageId ?? ''].some((word) => word.startsWith('-')))
    return misuse(USAGE);
  const picked = pick(name);
  if (!picked.ok) return fail(picked.message);
  if (messageId === undefined) return listPrompts(picked.session, json);
  return restoreFiles(picked.session.id, messageId, {
    dryRun: argv.includes('--dry-run'),
    force: argv.includes('--force'),
    json,
  });
}

async function restoreFiles(
  sessionId: string,
  word: string,
  { dryRun, force, json }: RewindOptions,
): Promise<number> {
  const folder = fileHistory(sessionId);
  if (!existsSync(folder)) return fail(`No files were changed in the session ${sessionId}.`);
  const store = new CheckpointStore({ folder });
  const [messageId = word, ...others] = word.length < MIN_ID_LENGTH ? [] : await store.idsLike(word);
  if (others.length > 0)
    return fail(
      `${word} matches several messages. Use more of the id:\n${[messageId, ...others].join('\n')}`,
    );
  const rewound = await store.rewind(messageId, { dryRun, spareOthers: !force });
  if (!rewound.canRewind)
    return fail(`${rewound.error} To list the messages, use: heddle rewind ${sessionId}`);
  const { canRewind: _, ...done } = rewound;
  const isWhole = done.failed.length === 0 && (force || done.changedByOthers.length === 0);
  if (json) writeMessage(`${jsonText({ dryRun, ...done }, 2)}\n`);
  else report(sessionId, messageId, done, { dryRun, force });
  return isWhole ? 0 : 1;
}

type Done = Omit<Extract<Rewound, { canRewind: true }>, 'canRewind'>;

function report(
  sessionId: string,
  messageId: string,
  { filesChanged, insertions, deletions, skippedLinks, changedByOthers, failed, undoId }: Done,
  { dryRun, force }: Pick<RewindOptions, 'dryRun' | 'force'>,
): void {
  for (const file of filesChanged) writeMessage(`${escapeControls(file)}\n`);
  const isNothing = [filesChanged, skippedLinks, changedByOthers, failed].every((list) => list.length === 0);
  if (isNothing)
    writeMessage('There is nothing to restore. The files have not changed since that message.\n');
  else
    writeMessage(
      `${pluralize(filesChanged.length, 'file')} ${dryRun ? 'would be restored' : 'restored'}, +${insertions} -${deletions} lines\n`,
    );
  for (const link of skippedLinks)
    writeMessage(`not restored, because it is a link now: ${escapeControls(link)}\n`);
  for (const file of changedByOthers)
    if (force)
      writeMessage(`restored, although it was changed outside the session: ${escapeControls(file)}\n`);
    else warn(`not restored, because it was changed outside the session: ${file}`);
  if (changedByOthers.length > 0 && !force)
    warn(`to restore it anyway: heddle rewind ${sessionId} ${messageId} --force`);
  for (const { path, why } of failed) warn(`${path}: ${why}`);
  if (undoId !== undefined) writeMessage(`to undo this: heddle rewind ${sessionId} ${undoId}\n`);
}

/** A shorter text is not accepted as the beginning of an id. */
const MIN_ID_LENGTH = 4;

/** Lists the messages to rewind to, the newest last. */
function listPrompts({ path }: SessionSummary, json: boolean): number {
  const prompts = readTranscript(path).items.flatMap((item) => {
    if (item.kind !== 'message' || item.message.type !== 'user') return [];
    const texts = transcriptPartsOf(item.message).flatMap((piece) =>
      piece.kind === 'text' ? [piece.text] : [],
    );
    const prompt = texts.join(' ');
    return prompt === '' || isInterruption(prompt) ? [] : [{ uuid: item.message.uuid, prompt }];
  });
  if (json) writeMessage(`${jsonText(prompts, 2)}\n`);
  else
    for (const { uuid, prompt } of prompts)
      writeMessage(`${uuid}  ${oneLine(prompt).slice(0, MAX_PROMPT_LENGTH)}\n`);
  return 0;
}

const MAX_PROMPT_LENGTH = 60;
