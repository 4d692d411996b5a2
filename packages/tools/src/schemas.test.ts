import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builtinTools } from './index.ts';
import { jsonSchemas, renderSchemas } from './schemas.ts';

it('keeps the generated schemas in step with the schemas of the tools (else: npm run generate)', () => {
  const generated = readFileSync(new URL('./generated/schemas.ts', import.meta.url), 'utf8');
  expect(generated).toBe(renderSchemas());
});

it('has a schema for every built-in tool and none besides', () => {
  const names = builtinTools().map((tool) => tool.name);
  expect(Object.keys(jsonSchemas()).sort()).toEqual(names.sort());
});
