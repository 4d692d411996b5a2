/** Every surface of the program reports a condition with the same sentence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

type Diagnostics = Readonly<Record<string, readonly string[]>>;

/** The lines of a text without the prefix of the program or of a note. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.replace(/^heddle: |^ {2}\((.*)\)$/, '$1').trim());
}

/** Every string in a JSON text. */
function stringsIn(json: string): string[] {
  const found: string[] = [];
  JSON.parse(json, (_key, value: unknown) => {
    if (typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}

function write(home: Home, name: string, content: unknown): void {
  const file = path.join(home.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

describe('conditions of the settings', () => {
  let diagnostics: Diagnostics;
  beforeAll(async () => {
    const home = homeFor(installed.program);
    const { run } = home;
    write(home, 'config/settings.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      permissions: {
        deny: ['Bsah(rm *)'],
        defaultMode: 'bypassPermissions',
        disableBypassPermissionsMode: 'disable',
      },
    });
    write(home, '.claude/settings.json', { model: 'opus', permissions: { allow: ['Bash(make)'] } });
    write(home, '.claude/settings.local.json', '{ half');
    const model = home.script([[say('Hello.')]]);
    const text = await run(['-p', '--model', model, 'hi']);
    const json = await run(['-p', '--output-format', 'json', '--model', model, 'hi']);
    const stream = await run(['-p', '--output-format', 'stream-json', '--verbose', '--model', model, 'hi']);
    const talk = await run(['--plain', '--model', model], { input: 'hi\n' });
    diagnostics = {
      '-p': linesOf(text.stderr),
      json: linesOf(json.stderr),
      'stream-json': linesOf(stream.stderr),
      conversation: linesOf(talk.stderr + talk.stdout),
      doctor: stringsIn((await run(['doctor', '--json'])).stdout),
      'permissions list': linesOf((await run(['permissions', 'list'])).stderr),
      'permissions list --json': stringsIn((await run(['permissions', 'list', '--json'])).stdout),
      'permissions explain': linesOf((await run(['permissions', 'explain', 'ls'])).stderr),
      'config list': linesOf((await run(['config', 'list'])).stderr),
    };
  });

  it.each([
    ['left-outs of an untrusted folder', /^Left out, because the folder is not trusted: /],
    ['a settings file that cannot be read', /settings\.local\.json was skipped: it is not JSON/],
    ['a rule for an unknown tool', /no tool is named Bsah/],
    ['a mode that the settings forbid', /^The settings forbid the mode bypassPermissions/],
  ])('%s: every surface uses the same sentence', (_title, mark) => {
    const sentences = Object.entries(diagnostics).map(([surface, texts]) => [
      surface,
      texts.find((text) => mark.test(text)),
    ]);
    const [, first] = sentences[0] ?? [];
    expect(first).toMatch(mark);
    expect(Object.fromEntries(sentences)).toEqual(
      Object.fromEntries(Object.keys(diagnostics).map((surface) => [surface, first])),
    );
  });
});

describe('conditions of the model', () => {
  it.each([
    ['a missing key of Anthropic', 'opus', 'There is no key for the API. Set ANTHROPIC_API_KEY'],
    ['a missing key of another provider', 'mistral/some', 'Mistral is not configured. Set MISTRAL_API_KEY.'],
    ['an unknown model', 'nonsense', 'There is no model named nonsense (HEDDLE_MODEL says so). Known: '],
    ['no model at all', undefined, 'no model is configured'],
  ])('%s: a run, its json and doctor use the same sentence', async (_title, model, sentence) => {
    const { run } = homeFor(installed.program);
    const env = model === undefined ? {} : { HEDDLE_MODEL: model };
    const text = await run(['-p', 'hi'], { env });
    const json = await run(['-p', '--output-format', 'json', 'hi'], { env });
    const doctor = await run(['doctor', '--json'], { env });
    expect(text.stderr).toContain(sentence);
    expect(json.stdout + json.stderr).toContain(sentence);
    expect(stringsIn(doctor.stdout).join('\n')).toContain(sentence);
  });
});
