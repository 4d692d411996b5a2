import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TERMINAL_REASONS, TRANSITION_REASONS } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { diagramFiles } from './diagram/files.ts';

const root = path.dirname(import.meta.dirname);

describe('the diagram of the machine', () => {
  const files = diagramFiles();

  it.each(files)('is up to date: $path (else run `npm run docs:diagram`)', ({ path: file, text }) => {
    expect(readFileSync(path.join(root, file), 'utf8')).toBe(text);
  });

  it.each(files)('shows every transition and every terminal of the machine: $path', ({ text }) => {
    const reasons = [
      ...TRANSITION_REASONS,
      ...TERMINAL_REASONS.filter((reason) => reason !== 'max_budget_usd'),
    ];
    expect(reasons.filter((reason) => !text.includes(reason))).toEqual([]);
  });

  it('is printed the same way each time', () => {
    expect(diagramFiles()).toEqual(files);
  });
});
