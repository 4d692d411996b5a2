import { describe, expect, it } from 'vitest';
import { SLASH_COMMANDS, readSlash } from './slash-commands.ts';

describe('slash commands', () => {
  it('have names of their own', () => {
    const names = SLASH_COMMANDS.flatMap(({ name, also = [] }) => [name].concat(also));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['help', 'clear', 'compact', 'context', 'cost', 'model', 'quit']),
    );
  });

  it.each([
    ['/help', 'help', ''],
    ['/COMPACT keep the\nnames ', 'compact', 'keep the\nnames'],
    ['/quit', 'exit', ''],
    ['/undo-compact', 'uncompact', ''],
    ['/?', 'help', ''],
  ])('reads %j', (line, name, words) => {
    expect(readSlash(line)).toMatchObject({ kind: 'command', command: { name }, words });
  });

  it.each([
    ['/contxt', 'Did you mean /context?'],
    ['/mdoel', 'Did you mean /model?'],
    ['/perm', 'Did you mean /permissions?'],
    ['/xyzzy', 'See /help.'],
  ])('says of %j what was probably meant', (line, hint) => {
    expect(readSlash(line)).toMatchObject({ kind: 'unknown', message: expect.stringContaining(hint) });
  });

  it.each(['/usr/bin/env is missing', '/', '// a comment', 'and /help'])('leaves %j to the model', (line) => {
    expect(readSlash(line)).toBeUndefined();
  });
});
