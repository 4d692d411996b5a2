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

  const ofTheMachine = files.filter(({ path: file }) => file.includes('machine'));
  it.each(ofTheMachine)('shows every transition and every terminal of the machine: $path', ({ text }) => {
    const reasons = [
      ...TRANSITION_REASONS,
      ...TERMINAL_REASONS.filter((reason) => reason !== 'max_budget_usd'),
    ];
    expect(reasons.filter((reason) => !text.includes(reason))).toEqual([]);
  });

  const withAttempts = files.filter(({ path: file }) => !file.endsWith('machine.svg'));
  it.each(withAttempts)('shows every decision about an attempt: $path', ({ text }) => {
    const decisions = [
      'accept',
      'ask_again',
      'fall_back',
      'leave_out_thinking',
      'replace_block',
      'resume_pause',
      'retry',
    ];
    expect(decisions.filter((decision) => !text.includes(decision))).toEqual([]);
  });

  it('prints no two rows of a table that look alike except for their decision', () => {
    const page = files.find(({ path: file }) => file === 'docs/machine.md')?.text ?? '';
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    const conditions = rows.map((row) => row.split(' | ').slice(0, -1).join(' | '));
    const twice = conditions.filter((condition, at) => conditions.indexOf(condition) !== at);
    expect(rows.length).toBeGreaterThan(35);
    expect(twice).toEqual([]);
  });

  it('is printed the same way each time', () => {
    expect(diagramFiles()).toEqual(files);
  });
});
