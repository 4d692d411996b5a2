/** The files of the deployment page have valid syntax, and their commands exist. They are not run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const repository = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(repository, 'docs/fleet-deployment.md'), 'utf8');
const help = readFileSync(path.join(repository, 'packages/cli/src/fleet/fleet-command.ts'), 'utf8');

const blocks = (language: string): string[] =>
  Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ([, text = '']) => text,
  );

it('parses every YAML file, without a duplicate key or an unknown kind', () => {
  const [compose = '', kubernetes = ''] = blocks('yaml');
  const [services] = parseAllDocuments(compose);
  expect(services?.errors).toEqual([]);
  const composed: unknown = services?.toJS();
  expect(isRecord(composed) && Object.keys(composed)).toEqual(['services', 'secrets', 'volumes']);
  const objects = parseAllDocuments(kubernetes).map((document) => {
    expect(document.errors).toEqual([]);
    const value: unknown = document.toJS();
    return isRecord(value) ? `${String(value['apiVersion'])} ${String(value['kind'])}` : 'nothing';
  });
  expect(objects).toEqual(['apps/v1 Deployment', 'apps/v1 Deployment', 'v1 Service']);
});

it('has a unit of sections and assignments', () => {
  const [unit = ''] = blocks('ini');
  const lines = unit.split('\n').filter((line) => line !== '');
  expect(lines.filter((line) => !/^(?:\[[A-Z]\w+\]|[A-Z]\w+=\S.*)$/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
});

it('uses commands and flags that exist', () => {
  const commands = Array.from(page.matchAll(/heddle'?,? '?fleet'?,? '?(\w+)/g), ([, verb = '']) => verb);
  expect(commands.length).toBeGreaterThan(8);
  for (const verb of commands) expect(help).toContain(`fleet ${verb}`);
  const flags = Array.from(page.matchAll(/ '?--([a-z-]+)/g), ([, flag = '']) => flag);
  for (const flag of flags.filter((name) => name !== 'model'))
    expect(help).toMatch(new RegExp(`^  '?${flag}'?: \\{ type`, 'm'));
});
