/** What an answer wants to be remembered beyond the session goes into the settings file of its scope. */
import os from 'node:os';
import type { AskPermission } from '@heddle/agent';
import { persistUpdates } from '@heddle/agent/settings';

export function remembering(ask: AskPermission): AskPermission {
  return async (question, signal) => {
    const answer = await ask(question, signal);
    if (answer.allow && answer.updates) {
      const places = { cwd: process.cwd(), home: os.homedir(), env: process.env };
      for (const problem of persistUpdates(answer.updates, places))
        process.stderr.write(`heddle: ${problem}\n`);
    }
    return answer;
  };
}
