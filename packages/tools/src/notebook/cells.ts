/** Reads the cells of a notebook, and changes one of them without touching a byte of the others. Pure. */
import { isRecord, omitUndefined } from '@heddle/core';

type Fields = Readonly<Record<string, unknown>>;

export interface Cell {
  /** Its own id, or `cell-<position>` in notebooks without ids. */
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly outputs: readonly Fields[];
  readonly fields: Fields;
}

export interface Notebook {
  readonly language: string;
  readonly cells: readonly Cell[];
  /** From version 4.5 on every cell has an id. */
  readonly withIds: boolean;
}

/** Throws with a reason. */
export function readNotebook(json: string): Notebook {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (thrown) {
    throw new Error('it is not valid JSON', { cause: thrown });
  }
  const cells = isRecord(parsed) ? parsed['cells'] : undefined;
  if (!isRecord(parsed) || !Array.isArray(cells)) throw new Error('it has no list of cells');
  return {
    language: languageOf(parsed),
    cells: cells.map(cellOf),
    withIds: cells.length > 0 ? cells.some((cell) => isRecord(cell) && 'id' in cell) : hasIds(parsed),
  };
}

export interface CellEdit {
  readonly mode: 'replace' | 'insert' | 'delete';
  readonly id: string | undefined;
  readonly source: string;
  readonly type: 'code' | 'markdown' | undefined;
  /** For an inserted cell. */
  readonly newId: string;
}

interface EditedNotebook {
  readonly json: string;
  readonly id: string;
  readonly cellType: string;
  /** Undefined for a new cell. */
  readonly oldSource: string | undefined;
  readonly language: string;
}

/** Throws with a reason. */
export function editNotebook(json: string, edit: CellEdit): EditedNotebook {
  const { cells, withIds, language } = readNotebook(json);
  const list = arrayUnder('cells', json);
  if (list === undefined) throw new Error('its cells could not be found in its text');
  const index = edit.id === undefined ? -1 : cells.findIndex(({ id }) => id === edit.id);
  const cell = cells[index];
  if (edit.id !== undefined && cell === undefined)
    throw new Error(`it has no cell ${edit.id}; there are ${idsOf(cells)}`);

  if (edit.mode === 'insert') {
    const id = withIds ? edit.newId : `cell-${index + 1}`;
    const added = inserted(json, list, index + 1, newCell(edit, withIds ? id : undefined));
    return { json: added, id, cellType: edit.type ?? 'code', oldSource: undefined, language };
  }
  if (cell === undefined)
    throw new Error(`cell_id is needed to ${edit.mode} a cell; there are ${idsOf(cells)}`);
  const { id, type, source: oldSource } = cell;
  if (edit.mode === 'delete')
    return { json: removed(json, list, index), id, cellType: type, oldSource, language };
  const changed = rewritten(json, list, index, changedCell(cell, edit));
  return { json: changed, id, cellType: edit.type ?? type, oldSource, language };
}

const MAX_IDS = 20;

function idsOf(cells: readonly Cell[]): string {
  const ids = cells.slice(0, MAX_IDS).map(({ id }) => id);
  return ids.length === 0 ? 'none' : ids.join(', ') + (cells.length > MAX_IDS ? ', …' : '');
}

function cellOf(value: unknown, index: number): Cell {
  const fields = isRecord(value) ? value : {};
  const { id, cell_type: type, source, outputs } = fields;
  return {
    id: typeof id === 'string' ? id : `cell-${index}`,
    type: typeof type === 'string' ? type : 'raw',
    source: joinSource(source),
    outputs: Array.isArray(outputs) ? outputs.filter(isRecord) : [],
    fields,
  };
}

/** Texts are stored as one string or as a list of lines. */
export function joinSource(text: unknown): string {
  if (Array.isArray(text)) return text.filter((part) => typeof part === 'string').join('');
  return typeof text === 'string' ? text : '';
}

function newCell({ type = 'code', source }: CellEdit, id: string | undefined): Fields {
  const common = { cell_type: type, ...omitUndefined({ id }), metadata: {} };
  if (type === 'markdown') return { ...common, source: linesOf(source) };
  return { ...common, execution_count: null, outputs: [], source: linesOf(source) };
}

/** The outputs of a cell belong to its old source, so they are cleared. */
function changedCell({ fields, type: oldType }: Cell, { type: newType, source }: CellEdit): Fields {
  const type = newType ?? oldType;
  const { outputs: _outputs, execution_count: _count, source: old, ...rest } = fields;
  const written = typeof old === 'string' ? source : linesOf(source);
  if (type !== 'code') return { ...rest, cell_type: type, source: written };
  return { ...rest, cell_type: type, execution_count: null, outputs: [], source: written };
}

function linesOf(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

function rewritten(json: string, { elements }: ArraySpan, index: number, cell: Fields): string {
  const span = elements[index];
  if (span === undefined) return json;
  return json.slice(0, span.start) + printed(cell, json, span.start) + json.slice(span.end);
}

function inserted(json: string, list: ArraySpan, position: number, cell: Fields): string {
  const before = list.elements[position - 1];
  const next = list.elements[position];
  if (next !== undefined) {
    const gap = json.slice(lineStart(json, next.start), next.start);
    const separator = gap.trim() === '' ? `,\n${gap}` : ', ';
    return json.slice(0, next.start) + printed(cell, json, next.start) + separator + json.slice(next.start);
  }
  if (before !== undefined) {
    const gap = json.slice(lineStart(json, before.start), before.start);
    const separator = gap.trim() === '' ? `,\n${gap}` : ', ';
    return json.slice(0, before.end) + separator + printed(cell, json, before.start) + json.slice(before.end);
  }
  return `${json.slice(0, list.start)}[\n  ${printed(cell, '  ', 2)}\n ]${json.slice(list.end)}`;
}

function removed(json: string, { start, end, elements }: ArraySpan, index: number): string {
  const before = elements[index - 1];
  const own = elements[index];
  const next = elements[index + 1];
  if (own === undefined) return json;
  if (next !== undefined) return json.slice(0, own.start) + json.slice(next.start);
  if (before !== undefined) return json.slice(0, before.end) + json.slice(own.end);
  return `${json.slice(0, start)}[]${json.slice(end)}`;
}

/** Indented like its surroundings if cells are two levels deep, or on one line if the notebook is. */
function printed(cell: Fields, json: string, at: number): string {
  const lead = json.slice(lineStart(json, at), at);
  if (lead.trim() !== '') return JSON.stringify(cell);
  const indent = lead.slice(0, Math.floor(lead.length / 2)) || ' ';
  return JSON.stringify(cell, undefined, indent).replaceAll('\n', `\n${lead}`);
}

function lineStart(json: string, at: number): number {
  return json.lastIndexOf('\n', at - 1) + 1;
}

function languageOf(notebook: Fields): string {
  const metadata = notebook['metadata'];
  if (!isRecord(metadata)) return 'python';
  for (const key of ['language_info', 'kernelspec']) {
    const about = metadata[key];
    const name = isRecord(about) ? (about['name'] ?? about['language']) : undefined;
    if (typeof name === 'string') return name;
  }
  return 'python';
}

function hasIds({ nbformat, nbformat_minor: minor }: Fields): boolean {
  return nbformat === 4 && typeof minor === 'number' && minor >= 5;
}

// Finds the elements of an array in a JSON text, so that one can be changed and every other byte kept.
// Pure.

interface Span {
  readonly start: number;
  readonly end: number;
}

interface ArraySpan extends Span {
  readonly elements: readonly Span[];
}

/**
 * Returns the array under a key of the outermost object. The text must be valid JSON. Undefined if there
 * is no such array.
 */
function arrayUnder(key: string, json: string): ArraySpan | undefined {
  let at = json.indexOf('{') + 1;
  while (true) {
    at = skip(json, at, /[\s,]/);
    if (json[at] !== '"') return undefined;
    const keyEnd = endOfValue(json, at);
    const name: unknown = JSON.parse(json.slice(at, keyEnd));
    const start = skip(json, keyEnd, /[\s:]/);
    if (name === key) return json[start] === '[' ? readArray(json, start) : undefined;
    at = endOfValue(json, start);
  }
}

function readArray(json: string, start: number): ArraySpan {
  const elements: Span[] = [];
  let at = skip(json, start + 1, /[\s,]/);
  while (json[at] !== ']') {
    const end = endOfValue(json, at);
    elements.push({ start: at, end });
    at = skip(json, end, /[\s,]/);
  }
  return { start, end: at + 1, elements };
}

function skip(json: string, from: number, what: RegExp): number {
  let at = from;
  while (at < json.length && what.test(json[at] ?? '')) at += 1;
  return at;
}

/** Returns the position after the value that begins at `start`. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at) - 1;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (depth === 0 && at > start && /[\s,:]/.test(sign ?? '')) return at;
    if (depth < 0) return at;
    if (depth === 0 && (sign === '"' || sign === '}' || sign === ']')) return at + 1;
  }
  return json.length;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}
