import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { protocolPage } from './protocol/page.ts';

it('the page of the protocol is up to date (else run `npm run docs:protocol`)', () => {
  const file = path.join(path.dirname(import.meta.dirname), 'docs/protocol.md');
  expect(readFileSync(file, 'utf8')).toBe(protocolPage());
});
