import { readFileSync } from 'node:fs';
import { scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { builtinToolSet, Monitors } from './index.ts';
import { jsonSchemas, renderSchemas } from './schemas.ts';

it('keeps the generated schemas in step with the schemas of the tools (else: npm run generate)', () => {
  const generated = readFileSync(new URL('./generated/schemas.ts', import.meta.url), 'utf8');
  expect(generated).toBe(renderSchemas());
});

it('has a schema for every built-in tool and no others', () => {
  const search = { model: scriptedModel([]), modelName: 'm' };
  const { active, deferred } = builtinToolSet({ web: { search }, shell: { monitors: new Monitors() } });
  // The agent adds Skill if there are skills.
  const names = [...active, ...deferred].map((tool) => tool.name).concat('Skill');
  expect(Object.keys(jsonSchemas()).sort()).toEqual(names.sort());
});

it('keeps the fixed part of every request small: under 8 kB for the tools that are not deferred', () => {
  const sent = builtinToolSet().active.map(({ name, description, inputJSONSchema }) => ({
    name,
    description,
    input_schema: inputJSONSchema,
  }));
  expect(JSON.stringify(sent).length).toBeLessThan(8_000);
});
