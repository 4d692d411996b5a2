/** Work beside a run of the real program: suggestions and memory. The fake Messages API answers. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiScript, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { control, closeAtResult, prompt, resultsOf } from './host/test/conversation.ts';
import { stage } from './host/test/stage.ts';

const perform = stage();

const SUGGESTION = 'Predict the next prompt';
const EXTRACTION = 'Decide what a later session';
const found = [{ file: 'tests.md', description: 'how tests run', text: 'Use npm test.' }];

const script: ApiScript = (request) => {
  const asked = JSON.stringify(request.messages);
  if (asked.includes(SUGGESTION)) return say('run the tests');
  return say(asked.includes(EXTRACTION) ? JSON.stringify(found) : 'Done.');
};

describe('a suggestion for the next prompt', () => {
  it.each([
    ['the flag', { flags: ['--prompt-suggestions'] }, {}],
    ['the host', {}, { promptSuggestions: true }],
    ['the setting', { flags: ['--settings', '{"promptSuggestionEnabled":true}'] }, {}],
  ])('follows the result if %s asks for it', async (_, more, initialize) => {
    const held = await perform(script, {
      ...more,
      first: [control('i1', { subtype: 'initialize', ...initialize }), prompt('go')],
      reply: closeAtResult,
    });
    expect(held.lines.slice(-2)).toMatchObject([
      { type: 'result', result: 'Done.' },
      { type: 'prompt_suggestion', suggestion: 'run the tests' },
    ]);
    expect(held.code).toBe(0);
  });

  it('is not asked for by default', async () => {
    const held = await perform(script, { first: [prompt('go')], reply: closeAtResult });
    expect(held.api.requests).toHaveLength(1);
    expect(resultsOf(held)).toHaveLength(1);
  });
});

describe('memory', () => {
  it('is stored before the program exits, and starts the next session', async () => {
    const flags = ['--settings', '{"autoMemoryEnabled":true}'];
    const held = await perform(script, { flags, first: [prompt('go')], closes: true });
    const project = held.folder.replaceAll(/[^a-zA-Z0-9]/g, '-');
    const memory = path.join(held.folder, 'config/projects', project, 'memory');
    expect(readFileSync(path.join(memory, 'tests.md'), 'utf8')).toBe('Use npm test.\n');
    expect(readFileSync(path.join(memory, 'MEMORY.md'), 'utf8')).toContain('how tests run');
    expect(existsSync(path.join(memory, 'MEMORY.md'))).toBe(true);
    expect(held.api.requests).toHaveLength(2);
  });
});
