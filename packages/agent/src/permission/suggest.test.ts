/** What "always allow" would remember. */
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { LivePermissions } from './live.ts';
import { NO_RULES } from './rules/rule.ts';
import { suggestions } from './suggest.ts';
import { worldOf } from './test/world.ts';

function suggested(tool: string, input: Record<string, string>) {
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const world = worldOf();
  return {
    request,
    world,
    updates: suggestions(request, authorize(request, NO_RULES, 'default', world), world),
  };
}

function rulesFor(command: string): string[] {
  const { updates } = suggested('Bash', { command });
  return updates.flatMap((update) =>
    update.type === 'addRules' ? update.rules.map(({ ruleContent }) => ruleContent ?? '') : [],
  );
}

describe('a suggestion', () => {
  it.each([
    ['npm run build', ['npm run build *']],
    ['npm test', ['npm test *']],
    ['npm install left-pad', ['npm install *']],
    ['git commit -m x', ['git commit *']],
    ['cargo build --release', ['cargo build *']],
    ['go test ./...', ['go test *']],
    ['make all', ['make all *']],
    ['jest src/a.test.ts', ['jest src/a.test.ts']],
    ['terraform plan -out x', ['terraform plan *']],
    ['touch f1', ['touch f1 *']],
    ['npm run a && npm run b', ['npm run a *', 'npm run b *']],
    ['ls && npm test', ['npm test *']],
    ['timeout 5 npm test', ['npm test *']],
  ])('for %s is %j', (command, rules) => {
    expect(rulesFor(command)).toEqual(rules);
  });

  const wide = [
    'bash',
    'sh -c',
    'sh',
    'python',
    'python3',
    'python3.12',
    'node',
    'node -e',
    'npx',
    'sudo',
    'env',
    'xargs -n1',
    'git',
    'perl -e',
    'ruby',
    'ssh host',
    'eval',
    'exec',
    'docker run',
    'deno run',
    'bun',
    'awk',
    'find . -exec',
    'make',
    'time -v',
    'uvx',
    'rm -rf',
    'curl',
    '/usr/bin/python3',
    './python3',
    'npm exec',
    'git -c a=b',
    'kubectl exec',
    'go run',
    'php -r',
    'osascript -e',
    'npm',
    'pnpm dlx',
    'yarn',
  ];
  it.each(wide)('never lets %s run just anything', (interpreter) => {
    for (const tail of ['', ' x', ' x y', ' script.js arg', " 'a b'"]) {
      for (const rule of rulesFor(interpreter + tail)) {
        const rules = { ...NO_RULES, allow: [{ text: `Bash(${rule})`, source: 'local' as const }] };
        const other = {
          tool: 'Bash',
          input: { command: `${interpreter} 'something else entirely'` },
          readOnly: false,
          hookDecision: undefined,
        };
        expect(
          authorize(other, rules, 'default', worldOf()).decision,
          `${interpreter}${tail} → ${rule}`,
        ).toBe('ask');
      }
    }
  });

  it.each([
    'npm run $X',
    '$X',
    'echo "',
    'rm *',
    'FOO=1 make',
    'make && $X',
    'echo x > .git/config',
    'rm -rf /',
  ])('is not made for %s', (command) => {
    expect(rulesFor(command)).toEqual([]);
  });

  it.each([
    'npm run build',
    'make all && npm test',
    'timeout 5 jest a',
    'echo x > out',
    'touch /srv/a',
    'cp a b',
  ])('spares the next question about %s', (command) => {
    const { request, world, updates } = suggested('Bash', { command });
    const live = new LivePermissions(NO_RULES);
    live.apply(updates);
    const after = { ...world, directories: live.directories };
    expect(authorize(request, live.rules, live.mode ?? 'default', after).decision).toBe('allow');
  });

  it('says where it would be remembered', () => {
    expect(suggested('Bash', { command: 'npm test' }).updates).toMatchObject([
      { destination: 'localSettings' },
    ]);
    expect(suggested('Write', { file_path: '/srv/a' }).updates).toEqual([
      { type: 'addDirectories', directories: ['/srv'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(suggested('WebFetch', { url: 'https://example.com/a' }).updates).toMatchObject([
      { rules: [{ toolName: 'WebFetch', ruleContent: 'domain:example.com' }], destination: 'localSettings' },
    ]);
    expect(suggested('mcp__srv__tool', {}).updates).toMatchObject([
      { rules: [{ toolName: 'mcp__srv__tool' }] },
    ]);
  });
});
