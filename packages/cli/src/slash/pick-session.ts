/** A list of sessions to choose one from: conversations, runs without a terminal, and sessions of other agents. */
import { omitUndefined } from '@heddle/core';
import path from 'node:path';
import type { SessionChoice } from '../arguments/arguments.ts';
import type { SessionPlace, SessionSummary } from '@heddle/agent/sessions';
import { escapeControls } from '../terminal/escape-controls.ts';
import { again, answered, type Dialog, type ListedChoice } from '../terminal/dialog.ts';
import { ago, dollars, pluralize, shortened } from '../terminal/amounts.ts';
import type { Style } from '../terminal/style.ts';

/** Older ones are found with `heddle sessions search`. */
const SHOWN = 20;
/** A list in which the user can search is longer. */
const SEARCHED = 500;

export function sessionLines(
  sessions: readonly SessionSummary[],
  style: Style,
  now: number,
  open?: string,
): string[] {
  return sessions.slice(0, SHOWN).map((session, index) => {
    const mark = session.id === open ? '  (this one)' : '';
    const number = String(index + 1).padStart(3);
    return `${number}  ${titleOf(session)}${mark}\n     ${factsOf(session, style, now)}`;
  });
}

function titleOf({ title }: SessionSummary): string {
  return escapeControls(shortened(title, 60));
}

function factsOf({ id, lastAt, messages }: SessionSummary, { paint, signs }: Style, now: number): string {
  const facts = [ago(now - lastAt), pluralize(messages, 'message'), id.slice(0, 8)];
  return paint('dim', facts.join(` ${signs.dot} `));
}

export interface Picking {
  readonly ask: (dialog: Dialog<string>) => Promise<string | undefined>;
  /** A word beside the conversation. */
  readonly note: (text: string) => void;
  /** The screen has a region in which the user searches in the list. */
  readonly hasRegion: boolean;
}

/** The session that is meant, asked for where the command line leaves it open. Undefined: none was chosen. */
export async function chooseSession(
  choice: SessionChoice,
  place: SessionPlace,
  style: Style,
  picking: Picking,
): Promise<SessionChoice | undefined> {
  if (choice.from.kind !== 'pick') return choice;
  const picked = await pickSession({ place, style, scope: 'here' }, picking);
  switch (picked.kind) {
    case 'none':
      picking.note('there is no conversation in this folder yet: this is a new one');
      return { ...choice, from: { kind: 'new' }, fork: false };
    case 'one':
      return { ...choice, from: { kind: 'resume', id: picked.id } };
    case 'elsewhere':
      picking.note(picked.message);
      return undefined;
    case 'dismissed':
      return undefined;
  }
}

export type PickedSession =
  /** There is no session to choose from. */
  | { readonly kind: 'none' | 'dismissed' }
  | { readonly kind: 'one'; readonly id: string }
  /** A session of another folder. It works only in the folder in which it began. */
  | { readonly kind: 'elsewhere'; readonly message: string };

export interface PickScope {
  readonly place: SessionPlace;
  readonly style: Style;
  /** The list starts with the sessions of this folder, or with all. */
  readonly scope: 'here' | 'everywhere';
  /** The session that is open. It is left out. */
  readonly open?: string;
}

/** Asks for a session. The last entry of the list of a folder leads to the list of all folders. */
export async function pickSession(
  { place, style, scope, open }: PickScope,
  { ask, hasRegion }: Pick<Picking, 'ask' | 'hasRegion'>,
): Promise<PickedSession> {
  const { listSessions } = await import('@heddle/agent/sessions');
  const { cwd, ...everywhere } = place;
  const sessions = listSessions(scope === 'here' ? place : everywhere).filter(
    ({ id, team }) => team === undefined && id !== open,
  );
  if (sessions.length === 0) return { kind: 'none' };
  const view = { style, now: Date.now(), hasRegion, place, scope } as const;
  const id = await ask(pickDialog(sessions, view));
  if (id === undefined) return { kind: 'dismissed' };
  if (id === ALL_FOLDERS)
    return pickSession({ place, style, scope: 'everywhere', ...omitUndefined({ open }) }, { ask, hasRegion });
  const folder = sessions.find((session) => session.id === id)?.cwd;
  if (scope === 'here' || folder === undefined || folder === cwd) return { kind: 'one', id };
  const command = `cd ${escapeControls(folder)} && heddle --resume ${id.slice(0, 8)}`;
  return { kind: 'elsewhere', message: `It belongs to another folder. Continue it with:\n  ${command}` };
}

interface PickView {
  readonly style: Style;
  readonly now: number;
  /** The screen has a region in which the user searches in the list. */
  readonly hasRegion: boolean;
  readonly place: SessionPlace;
  readonly scope: PickScope['scope'];
}

/** Shows how the session began, and where. */
function previewOf({ firstPrompt, cwd, gitBranch, model, costUsd }: SessionSummary): readonly string[] {
  const facts = [
    ...(cwd === undefined ? [] : [cwd]),
    ...(gitBranch === undefined ? [] : [gitBranch]),
    ...(model === undefined ? [] : [model]),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
  ];
  return [shortened(firstPrompt.replaceAll(/\s+/g, ' '), 200), facts.join(', ')].map(escapeControls);
}

const GROUPS = ['Conversations', 'Runs of heddle -p and of hosts', 'Sessions of other agents'] as const;

function groupOf({ path: file, isHeadless }: SessionSummary, { configDir }: SessionPlace): number {
  const isOwn = file.startsWith(configDir + path.sep);
  return isOwn ? (isHeadless ? 1 : 0) : 2;
}

/** The answer that asks for the list of all folders. It is not the id of a session. */
const ALL_FOLDERS = '0';

/** Answers with the id of a session, or with `ALL_FOLDERS`. In a region, the list has groups. */
function pickDialog(sessions: readonly SessionSummary[], view: PickView): Dialog<string> {
  const { hasRegion, place, scope } = view;
  const most = hasRegion ? SEARCHED : SHOWN;
  const grouped = sessions
    .map((session) => ({ session, group: groupOf(session, place) }))
    .toSorted((left, right) => left.group - right.group);
  const listed = hasRegion
    ? grouped.slice(0, most)
    : sessions.slice(0, most).map((session) => ({ session, group: 0 }));
  const choices: ListedChoice[] = listed.map(({ session, group }, index) => ({
    key: String(index + 1),
    text: titleOf(session),
    detail: detailOf(session, view),
    group: GROUPS[group] ?? '',
    preview: () => previewOf(session),
  }));
  const all = { key: ALL_FOLDERS, text: 'show the sessions of all folders', group: 'Other folders' };
  const dialog: Dialog<string> = {
    lines: [hasRegion ? 'Which one? Type to search.' : 'Which one? A number, or Ctrl-C.'],
    choices: hasRegion && scope === 'here' ? [...choices, all] : choices,
    prompt: 'session> ',
    isSearchable: true,
    read(line) {
      const text = line.trim();
      if (text === ALL_FOLDERS && scope === 'here') return answered(ALL_FOLDERS);
      const chosen = /^\d{1,3}$/.test(text) ? listed[Number(text) - 1]?.session : undefined;
      const named = sessions.find(
        ({ id, title }) => text.length > 3 && (id.startsWith(text) || title === text),
      );
      const found = chosen ?? named;
      return found ? answered(found.id) : again(dialog, `Type a number from 1 to ${listed.length}.`);
    },
  };
  return dialog;
}

/** In the list of all folders, each session has the name of its folder. */
function detailOf(session: SessionSummary, { style, now, scope }: PickView): string {
  const facts = factsOf(session, style, now);
  if (scope === 'here' || session.cwd === undefined) return facts;
  return `${facts} ${style.paint('dim', `${style.signs.dot} ${escapeControls(path.basename(session.cwd))}`)}`;
}
