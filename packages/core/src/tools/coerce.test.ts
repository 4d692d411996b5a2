import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { coerceInput } from './coerce.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    '-C': { type: 'integer' },
    share: { type: 'number' },
    all: { type: 'boolean' },
    names: { type: 'array', items: { type: 'string' } },
    edits: {
      type: 'array',
      items: { type: 'object', properties: { text: { type: 'string' }, every: { type: 'boolean' } } },
    },
    either: { type: ['integer', 'string'] },
    mode: { type: 'string', enum: ['content', 'in_progress', 'on', 'ON'] },
    glob: { type: 'string', minLength: 1 },
    file_path: { type: 'string' },
    fileState: { type: 'string' },
    file_state: { type: 'string' },
  },
  required: ['path'],
} as const;

describe('coerceInput', () => {
  it('keeps a field named __proto__ as a field, so that hooks see the fields in it', () => {
    const input: unknown = JSON.parse('{"all":"true","__proto__":{"path":"a"}}');
    const read = coerceInput(schema, input as JsonObject);
    expect(JSON.stringify(read)).toBe('{"all":true,"__proto__":{"path":"a"}}');
    expect(read['path']).toBeUndefined();
  });

  it.each([
    ['a number as text', { '-C': '3' }, { '-C': 3 }],
    ['a negative fraction as text', { share: ' -0.5 ' }, { share: -0.5 }],
    ['a boolean as text', { all: 'True' }, { all: true }],
    ['a list as JSON', { names: '["a","b"]' }, { names: ['a', 'b'] }],
    [
      'values inside a list',
      { edits: [{ text: 'a', every: 'false' }] },
      { edits: [{ text: 'a', every: false }] },
    ],
    [
      'a list of objects as JSON, with values in it',
      { edits: '[{"text":"1","every":"true"}]' },
      { edits: [{ text: '1', every: true }] },
    ],
    ['null for an optional field', { path: 'a', all: null }, { path: 'a' }],
    ['another name', { context: 2 }, { '-C': 2 }],
    ['another name and a number as text', { context: '2' }, { '-C': 2 }],
    ['a word in other case', { mode: 'Content' }, { mode: 'content' }],
    ['a word with a hyphen', { mode: 'in-progress' }, { mode: 'in_progress' }],
    ['a field in other spelling', { filePath: 'a', c: '2' }, { file_path: 'a', '-C': 2 }],
    ['an empty text for a number that may be absent', { path: 'a', share: '' }, { path: 'a' }],
    ['an empty text for a text that may be absent', { path: 'a', glob: '' }, { path: 'a' }],
    ['an empty text for a word that may be absent', { path: 'a', mode: '' }, { path: 'a' }],
    ['a field to ignore', { path: 'a', allowedPrompts: [] }, { path: 'a' }],
  ])('reads %s', (_name, input, read) => {
    expect(coerceInput(schema, input, { context: '-C', allowedPrompts: null })).toEqual(read);
  });

  it.each([
    ['text that looks like a number where text is wanted', { path: '5' }],
    ['text that two types accept', { either: '5' }],
    ['a number in words', { '-C': 'three' }],
    ['a number with a unit', { '-C': '3 lines' }],
    ['a truth in words', { all: 'yes' }],
    ['an object where a list is wanted', { names: '{"a":1}' }],
    ['broken JSON', { names: '["a"' }],
    ['null for a required field', { path: null }],
    ['a field that it does not have', { other: '1' }],
    ['an empty text where it is valid', { path: '', file_path: '' }],
    ['a word that two words resemble', { mode: 'On' }],
    ['a word that resembles none', { mode: 'contents' }],
    ['a field that two fields resemble', { 'file-state': 'a' }],
    ['two spellings of a field', { file_path: 'a', filePath: 'b' }],
    ['both names of a field', { context: 2, '-C': 3 }],
  ])('leaves %s as it is', (_name, input) => {
    expect(coerceInput(schema, input, { context: '-C' })).toEqual(input);
  });
});
