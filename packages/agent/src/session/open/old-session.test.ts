/** Sessions that earlier versions wrote still load. The file was written by version 0.1.0 before its words in code were renamed. */
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { callsOf, resultsOf, textOf } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { createSessionHome, sessionOf } from '../test/session-home.ts';
import { resumeSession } from './open.ts';

const ID = '32b1aea7-243a-45c0-aaef-35a266278efc';

function openOldSession() {
  const home = createSessionHome();
  mkdirSync(path.dirname(home.file(ID)), { recursive: true });
  copyFileSync(path.join(import.meta.dirname, '../test/old-session.jsonl'), home.file(ID));
  return sessionOf(resumeSession(home.setup, ID));
}

describe('a session of version 0.1.0', () => {
  it('loads whole, without a notice of damage', () => {
    const { notices, projection } = openOldSession();
    expect(notices).toEqual([]);
    expect(projection.messages.length).toBe(16);
  });

  it('keeps its prompts, calls and results', () => {
    const messages = [...openOldSession().projection.messages];
    const prompts = messages.flatMap((message) =>
      message.type === 'user' && typeof message.content === 'string' ? [message.content] : [],
    );
    expect(prompts).toEqual(['please edit something', 'run something, todo']);
    const answers = messages.filter((message) => message.type === 'assistant');
    expect(callsOf(answers).map(({ name }) => name)).toEqual(['Write', 'Edit', 'Bash', 'Bash']);
    const results = messages.flatMap(resultsOf);
    expect(results).toHaveLength(4);
    expect(textOf(answers.at(-1)?.content ?? [])).toContain('That did not happen');
  });
});
