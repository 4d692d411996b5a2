/** A numbered list of sessions to choose one from. */
import type { SessionChoice } from '../arguments/arguments.ts';
import type { SessionPlace, SessionSummary } from '@heddle/agent/sessions';
import { escapeControls } from '../terminal/escape-controls.ts';
import { again, answered, type Dialog } from '../terminal/dialog.ts';
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
  { ask, note, hasRegion }: Picking,
): Promise<SessionChoice | undefined> {
  if (choice.from.kind !== 'pick') return choice;
  const { listSessions } = await import('@heddle/agent/sessions');
  const sessions = listSessions(place).filter(({ team }) => team === undefined);
  if (sessions.length === 0) {
    note('there is no conversation in this folder yet: this is a new one');
    return { ...choice, from: { kind: 'new' }, fork: false };
  }
  const id = await ask(pickDialog(sessions, { style, now: Date.now(), hasRegion }));
  return id === undefined ? undefined : { ...choice, from: { kind: 'resume', id } };
}

interface PickView {
  readonly style: Style;
  readonly now: number;
  /** The screen has a region in which the user searches in the list. */
  readonly hasRegion: boolean;
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

/** Answers with the id. */
export function pickDialog(
  sessions: readonly SessionSummary[],
  { style, now, hasRegion }: PickView,
): Dialog<string> {
  const most = hasRegion ? SEARCHED : SHOWN;
  const dialog: Dialog<string> = {
    lines: [hasRegion ? 'Which one? Type to search.' : 'Which one? A number, or Ctrl-C.'],
    choices: sessions.slice(0, most).map((session, index) => ({
      key: String(index + 1),
      text: titleOf(session),
      detail: factsOf(session, style, now),
      preview: () => previewOf(session),
    })),
    prompt: 'session> ',
    isSearchable: true,
    read(line) {
      const text = line.trim();
      const chosen = /^\d{1,3}$/.test(text) ? sessions[Number(text) - 1] : undefined;
      const named = sessions.find(
        ({ id, title }) => text.length > 3 && (id.startsWith(text) || title === text),
      );
      const found = chosen ?? named;
      return found
        ? answered(found.id)
        : again(dialog, `Type a number from 1 to ${Math.min(most, sessions.length)}.`);
    },
  };
  return dialog;
}
