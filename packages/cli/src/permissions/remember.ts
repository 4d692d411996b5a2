/** Wraps a permission prompt: stores the rules of an answer in the settings file of their scope. */
import os from 'node:os';
import type { AskPermission } from '@heddle/agent';
import { persistUpdates } from '@heddle/agent/settings';
import { warn } from '../terminal/write-message.ts';

/** `projectRoot`: see `SettingsPlaces`. */
export function remembering(ask: AskPermission, projectRoot?: string): AskPermission {
  return async (question, signal) => {
    const answer = await ask(question, signal);
    if (answer.allow && answer.updates) {
      const places = { cwd: process.cwd(), home: os.homedir(), env: process.env, projectRoot };
      for (const problem of persistUpdates(answer.updates, places)) warn(problem);
    }
    return answer;
  };
}
