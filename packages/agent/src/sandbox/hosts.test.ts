/** Questions about hosts that are on no list. */
import { expect, it } from 'vitest';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import { hostQuestions } from './hosts.ts';

const allowing = (host: string): PermissionUpdate => ({
  type: 'addRules',
  rules: [{ toolName: 'WebFetch', ruleContent: `domain:${host}` }],
  behavior: 'allow',
  destination: 'session',
});

it.each([
  ['a.example', [], true],
  ['b.example', [], false],
  ['a.example', ['WebFetch(domain:*.example)'], false],
])(
  'a question that an earlier answer covers is decided by the rules: %s, denied %j',
  async (host, denied, expected) => {
    const deny = denied.map((text) => ({ text, source: 'user' as const }));
    const live = new LivePermissions({ deny, ask: [], allow: [] });
    const covered = () => Promise.resolve({ allow: false, coveredBy: [allowing('a.example')] });
    const { ask } = hostQuestions(covered, live, new AbortController().signal);
    expect(await ask(host, 443)).toBe(expected);
  },
);
