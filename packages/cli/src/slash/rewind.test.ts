import type { Message } from '@heddle/core';
import { expect, it } from 'vitest';
import { missingNote } from './rewind.ts';

it('says where prompts are that a compaction has put away', () => {
  const stamp = { uuid: 'u', at: 0 };
  const prompt: Message = { type: 'user', ...stamp, content: 'Hello.' };
  const boundary: Message = {
    type: 'system',
    ...stamp,
    subtype: 'compact_boundary',
    content: 'Compacted.',
    level: 'info',
  };
  expect(missingNote([boundary, prompt])).toContain('/uncompact');
  expect(missingNote([prompt])).toBeUndefined();
});
