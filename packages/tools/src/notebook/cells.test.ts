import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CellEdit, editNotebook, readNotebook } from './cells.ts';

const cell = (id: string, source: string): object => ({
  cell_type: 'code',
  execution_count: 3,
  id,
  metadata: { scale: 1.5 },
  outputs: [{ output_type: 'stream', text: ['x'] }],
  source: [source],
});

/** Jupyter's format: one space per level, and numbers that JavaScript would write differently. */
function notebookOf(...cells: readonly object[]): string {
  const json = JSON.stringify({ cells, metadata: { big: 0 }, nbformat: 4, nbformat_minor: 5 }, undefined, 1);
  return `${json.replace('"big": 0', '"big": 12345678901234567890, "float": 1.0')}\n`;
}

function edit(json: string, change: Partial<CellEdit>): string {
  const whole: CellEdit = {
    mode: 'replace',
    id: undefined,
    source: 'new',
    type: undefined,
    newId: 'fresh',
    ...change,
  };
  return editNotebook(json, whole).json;
}

describe('Editing a notebook', () => {
  const json = notebookOf(cell('a', 'one'), cell('b', 'two "}]'), cell('c', 'three'));
  const ids = (text: string): string[] => readNotebook(text).cells.map(({ id }) => id);

  it('replaces a cell, clears its outputs, and keeps every other byte', () => {
    const edited = edit(json, { id: 'b', source: 'x\ny' });
    const changed = {
      cell_type: 'code',
      id: 'b',
      metadata: { scale: 1.5 },
      execution_count: null,
      outputs: [],
      source: ['x\n', 'y'],
    };
    expect(readNotebook(edited).cells[1]?.fields).toEqual(changed);
    const spot = JSON.stringify(changed, undefined, 1).replaceAll('\n', '\n  ');
    expect(edited.replace(spot, '')).toBe(
      json.replace(JSON.stringify(cell('b', 'two "}]'), undefined, 1).replaceAll('\n', '\n  '), ''),
    );
  });

  it('inserts first, between and last', () => {
    expect(ids(edit(json, { mode: 'insert', type: 'markdown' }))).toEqual(['fresh', 'a', 'b', 'c']);
    expect(ids(edit(json, { mode: 'insert', type: 'code', id: 'a' }))).toEqual(['a', 'fresh', 'b', 'c']);
    expect(ids(edit(json, { mode: 'insert', type: 'code', id: 'c' }))).toEqual(['a', 'b', 'c', 'fresh']);
  });

  it("inserts into an empty notebook, in Jupyter's format", () => {
    const edited = edit('{\n "cells": [],\n "nbformat": 4,\n "nbformat_minor": 5\n}', {
      mode: 'insert',
      type: 'code',
    });
    expect(edited).toBe(JSON.stringify(JSON.parse(edited), undefined, 1));
    expect(ids(edited)).toEqual(['fresh']);
  });

  it('deletes first, between, last and only', () => {
    expect(ids(edit(json, { mode: 'delete', id: 'a' }))).toEqual(['b', 'c']);
    expect(ids(edit(json, { mode: 'delete', id: 'b' }))).toEqual(['a', 'c']);
    expect(ids(edit(json, { mode: 'delete', id: 'c' }))).toEqual(['a', 'b']);
    expect(ids(edit(notebookOf(cell('a', 'x')), { mode: 'delete', id: 'a' }))).toEqual([]);
  });

  it('restores the same bytes when an inserted cell is deleted', () => {
    for (const id of [undefined, 'a', 'b', 'c']) {
      const inserted = edit(json, { mode: 'insert', type: 'code', id });
      expect(edit(inserted, { mode: 'delete', id: 'fresh' })).toBe(json);
    }
  });

  it('keeps the form of the source and of the file', () => {
    const compact = JSON.stringify({ cells: [{ cell_type: 'markdown', metadata: {}, source: 'a' }] });
    expect(edit(compact, { id: 'cell-0', source: 'b' })).toBe(compact.replace('"a"', '"b"'));
    const tabbed = JSON.stringify(JSON.parse(compact), undefined, '\t');
    expect(edit(tabbed, { id: 'cell-0', source: 'b' })).toBe(
      JSON.stringify({ cells: [{ cell_type: 'markdown', metadata: {}, source: 'b' }] }, undefined, '\t'),
    );
  });

  it('changes the kind of a cell', () => {
    const edited = edit(json, { id: 'a', type: 'markdown' });
    expect(readNotebook(edited).cells[0]?.fields).not.toHaveProperty('outputs');
  });

  it('names cells by position if they have no ids', () => {
    const old = JSON.stringify({
      cells: [{ cell_type: 'code', source: '' }],
      nbformat: 4,
      nbformat_minor: 4,
    });
    expect(ids(old)).toEqual(['cell-0']);
    expect(
      readNotebook(edit(old, { mode: 'insert', type: 'code', id: 'cell-0' })).cells[1]?.fields,
    ).not.toHaveProperty('id');
  });

  it.each([
    ['an unknown cell', { id: 'zz' }, /no cell zz; there are a, b, c/],
    ['no cell to replace', {}, /cell_id is needed to replace/],
    ['no cell to delete', { mode: 'delete' as const }, /cell_id is needed to delete/],
  ])('rejects %s', (_what, change, reason) => {
    expect(() => edit(json, change)).toThrow(reason);
  });

  it('finds the cells among any other fields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.jsonValue()),
        fc.constantFrom(0, 1, 2),
        (around, values, indent) => {
          const before = {
            ...around,
            cells: [...values, { id: 'own', cell_type: 'code', source: 'x' }],
            after: 1,
          };
          const text = JSON.stringify(before, undefined, indent);
          const edited: unknown = JSON.parse(edit(text, { mode: 'delete', id: 'own' }));
          expect(edited).toEqual(JSON.parse(JSON.stringify({ ...before, cells: values })));
        },
      ),
    );
  });
});
