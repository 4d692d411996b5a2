import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { editOutside } from './external-editor.ts';

it('returns the text from the external editor, and deletes the temporary file', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-editor-'));
  const seen = path.join(folder, 'seen');
  const EDITOR = `edit() { sed -i "$1" "$2" && echo "$2" > ${seen}; }; edit s/draft/prompt/`;
  expect(await editOutside('a draft\nof two lines', { EDITOR }, folder)).toEqual({
    ok: true,
    text: 'a prompt\nof two lines',
  });
  expect(existsSync(path.dirname(readFileSync(seen, 'utf8').trim()))).toBe(false);
  expect(await editOutside('x', { VISUAL: 'false', EDITOR }, folder)).toEqual({
    ok: false,
    message: 'false failed; the line is unchanged',
  });
});
