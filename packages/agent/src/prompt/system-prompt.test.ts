import { estimateText } from '@heddle/context';
import { expect, it } from 'vitest';
import { defaultSystemPrompt, SECTIONS } from './sections.ts';

it('has its sections in one order, each under its own heading', () => {
  expect(Object.keys(SECTIONS)).toEqual(['identity', 'work', 'tools', 'care', 'material', 'talk', 'stuck']);
  const [prompt = ''] = defaultSystemPrompt();
  expect(prompt.match(/^# .*$/gm)).toEqual([
    '# Working',
    '# Tools',
    '# Care',
    '# Instructions and material',
    '# Talking',
    '# When you are stuck',
  ]);
});

it('is one layer, the same every time, and stays under 6 kB', () => {
  expect(defaultSystemPrompt()).toEqual(defaultSystemPrompt());
  const [prompt = '', ...others] = defaultSystemPrompt();
  expect(others).toEqual([]);
  expect(Buffer.byteLength(prompt)).toBeLessThan(6_000);
  expect(estimateText(prompt)).toBeLessThan(1_500);
});
