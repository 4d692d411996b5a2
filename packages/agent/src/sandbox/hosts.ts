/** Asks about hosts that are on no list, once per host, even if a command tries several times. */
import { randomUUID } from 'node:crypto';
import type { LivePermissions, PermissionUpdate } from '../permission/live-permissions.ts';
import { isHostDenied, isHostNamed } from '../permission/rules/domain.ts';
import type { AskForHost } from './sandbox.ts';
import type { AskPermission } from '../permission/question.ts';
import { omitUndefined } from '@heddle/core';

/** The tool name in the question to the user. */
export const REACH_HOST = 'SandboxNetworkAccess';

export interface HostQuestions {
  readonly ask: AskForHost;
  /**
   * Called when no command runs anymore. Closes open questions, and forgets denials so that the next command can ask
   * again.
   */
  settle(): void;
}

export function hostQuestions(
  askPermission: AskPermission,
  live: LivePermissions,
  signal: AbortSignal,
): HostQuestions {
  const answers = new Map<string, Promise<boolean>>();
  let waiting = new AbortController();

  async function ask(host: string, port: number | undefined): Promise<boolean> {
    const name = host.toLowerCase();
    const known = answers.get(name);
    if (known) return known;
    const answer = question(name, port).catch(() => false);
    answers.set(name, answer);
    return answer;
  }

  async function question(host: string, port: number | undefined): Promise<boolean> {
    const reason = `A command in the sandbox wants to reach ${host}, which is on no list.`;
    const { allow, updates, coveredBy } = await askPermission(
      {
        toolUseId: `sandbox-${randomUUID()}`,
        tool: REACH_HOST,
        input: { host, ...omitUndefined({ port }) },
        reason,
        basis: reason,
        parts: [],
        suggestions: ['session', 'localSettings'].map((destination) => remember(host, destination)),
      },
      AbortSignal.any([signal, waiting.signal]),
    );
    if (allow && updates) live.apply(updates);
    if (coveredBy) {
      live.apply(coveredBy);
      return isHostNamed(host, live.rules) && !isHostDenied(host, live.rules);
    }
    return allow;
  }

  return {
    ask,
    settle() {
      waiting.abort();
      waiting = new AbortController();
      for (const [host, answer] of answers) {
        void answer.then((allowed) => !allowed && answers.delete(host));
      }
    },
  };
}

/** Adds the same rule that lets WebFetch reach the host. */
function remember(host: string, destination: string): PermissionUpdate {
  return {
    type: 'addRules',
    rules: [{ toolName: 'WebFetch', ruleContent: `domain:${host}` }],
    behavior: 'allow',
    destination: destination === 'session' ? 'session' : 'localSettings',
  };
}
