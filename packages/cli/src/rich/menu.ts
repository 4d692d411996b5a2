/** The menu of the input line: slash commands after `/`, and files after `@`. Pure, apart from the file index. */
import { writeMention } from '@heddle/agent';
import type { Draft, Key } from '../terminal/input/editor.ts';
import type { Style } from '../terminal/style.ts';
import { rowWidth } from './cells.ts';

export interface MenuCommand {
  readonly name: string;
  readonly also?: readonly string[];
  readonly hint?: string;
  readonly help: string;
}

export interface MenuSources {
  readonly commands: readonly MenuCommand[];
  /** Returns the files that match best. */
  readonly files: (query: string, most: number) => readonly string[];
}

interface MenuItem {
  readonly label: string;
  readonly detail: string;
  /** The text that replaces the typed word. */
  readonly text: string;
}

export interface Menu {
  readonly kind: 'command' | 'file';
  /** The start of the typed word in the draft. */
  readonly start: number;
  readonly typed: string;
  readonly items: readonly MenuItem[];
  readonly selected: number;
  /** The user has moved the selection. */
  readonly isMoved: boolean;
}

export type MenuKey =
  | { readonly kind: 'menu'; readonly menu: Menu | undefined }
  /** Replaces the typed word. `submits`: and sends the line. */
  | { readonly kind: 'accept'; readonly draft: Draft; readonly submits: boolean }
  /** The key is not for the menu. */
  | { readonly kind: 'other' };

const MAX_FILES = 8;
const MAX_ROWS = 8;

/** Returns the menu for a draft. Undefined if no menu applies or nothing matches. */
export function menuFor({ text, cursor }: Draft, sources: MenuSources): Menu | undefined {
  const before = text.slice(0, cursor);
  const command = cursor === text.length ? /^\/([\p{L}\p{M}\p{N}_.:-]*)$/u.exec(before)?.[1] : undefined;
  if (command !== undefined) return menuOf('command', 0, command, commandItems(command, sources.commands));
  const [, lead = '', typed] = /^([^]*(?:^|\s))@"?([^\s"]*)$/.exec(before) ?? [];
  if (typed === undefined) return undefined;
  const items = sources.files(typed, MAX_FILES).flatMap(fileItem);
  return menuOf('file', lead.length, typed, items);
}

function menuOf(
  kind: Menu['kind'],
  start: number,
  typed: string,
  items: readonly MenuItem[],
): Menu | undefined {
  return items.length === 0 ? undefined : { kind, start, typed, items, selected: 0, isMoved: false };
}

/** Lists commands that start with the text, then commands that contain it. */
function commandItems(typed: string, commands: readonly MenuCommand[]): MenuItem[] {
  const wanted = typed.toLowerCase();
  const namesOf = ({ name, also = [] }: MenuCommand): readonly string[] => [name, ...also];
  const starting = commands.filter((command) => namesOf(command).some((name) => name.startsWith(wanted)));
  const containing = commands.filter(
    (command) => !starting.includes(command) && command.name.includes(wanted),
  );
  const exact = starting.filter((command) => namesOf(command).includes(wanted));
  return [...exact, ...starting.filter((command) => !exact.includes(command)), ...containing].map(
    ({ name, hint, help }) => ({
      label: hint === undefined ? `/${name}` : `/${name} ${hint}`,
      detail: help,
      text: `/${name} `,
    }),
  );
}

/**
 * A name that cannot be written as one mention is left out: a part of it would be read as a mention of another file. A folder
 * gets no space, so that its files can be typed.
 */
function fileItem(name: string): readonly MenuItem[] {
  // A `~` at the start would be the home folder.
  const written = writeMention(name.startsWith('~') ? `./${name}` : name);
  if (written === undefined) return [];
  return [{ label: name, detail: '', text: name.endsWith('/') ? written : `${written} ` }];
}

export function menuKey(menu: Menu, key: Key, draft: Draft): MenuKey {
  const { items, selected } = menu;
  const move = (step: number): MenuKey => ({
    kind: 'menu',
    menu: { ...menu, selected: (selected + step + items.length) % items.length, isMoved: true },
  });
  if (key.name === 'up' || (key.ctrl && key.name === 'p')) return move(-1);
  if (key.name === 'down' || (key.ctrl && key.name === 'n')) return move(1);
  if (key.name === 'escape') return { kind: 'menu', menu: undefined };
  if (key.name === 'tab' && !key.shift) return accepted(menu, draft, false);
  if (key.name === 'return' && !key.shift && !key.meta && chooses(menu))
    return accepted(menu, draft, menu.kind === 'command');
  return { kind: 'other' };
}

/** Enter chooses the selected command only if the typed text is its start, or the user has moved the selection. */
function chooses({ kind, items, selected, typed, isMoved }: Menu): boolean {
  const text = items[selected]?.text.trim() ?? '';
  return kind === 'file'
    ? isMoved || text !== `@${typed}`
    : isMoved || text.startsWith(`/${typed.toLowerCase()}`);
}

function accepted({ items, selected, start }: Menu, { text, cursor }: Draft, submits: boolean): MenuKey {
  const chosen = items[selected]?.text ?? '';
  const rest = text.slice(cursor);
  const added = rest.startsWith(' ') ? chosen.trimEnd() : chosen;
  const whole = text.slice(0, start) + added + rest;
  return { kind: 'accept', draft: { text: whole, cursor: start + added.length }, submits };
}

export function menuRows({ items, selected }: Menu, { paint, signs }: Style): string[] {
  const first = Math.max(0, Math.min(selected - MAX_ROWS + 1, items.length - MAX_ROWS));
  const shown = items.slice(first, first + MAX_ROWS);
  const width = Math.max(...shown.map(({ label }) => rowWidth(label)));
  const more = items.length - shown.length;
  return [
    ...shown.map(({ label, detail }, index) => {
      const isSelected = first + index === selected;
      const mark = isSelected ? paint('cyan', signs.pointer) : ' ';
      const name = label + ' '.repeat(detail === '' ? 0 : width - rowWidth(label));
      return `${mark} ${isSelected ? paint('bold', name) : name}${detail === '' ? '' : `  ${paint('dim', detail)}`}`;
    }),
    ...(more > 0 ? [paint('dim', `  ${signs.more} ${more} more`)] : []),
  ];
}
