/** Tests each prefix that "always" offers with words that a rule with it must not cover. */
import { describe, expect, it } from 'vitest';
import { authorize } from '../authorize.ts';
import { NO_RULES } from '../rules/rule.ts';
import { type EvilWords, EVIL_WORDS } from '../test/list/evil-words.ts';
import { worldOf } from '../test/world.ts';
import { CHECKERS, MODULES, NESTED, SUBCOMMANDS } from './programs.ts';
import { suggestions } from './suggest.ts';

function decide(command: string, allow: readonly string[] = []) {
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = {
    ...NO_RULES,
    allow: allow.map((rule) => ({ text: `Bash(${rule})`, source: 'local' as const })),
  };
  const world = worldOf();
  const verdict = authorize(request, rules, 'default', world);
  return { verdict, offered: suggestions(request, verdict, { rules, mode: 'default', world }) };
}

const byPrefix = Map.groupBy(EVIL_WORDS, ({ prefix }) => prefix);

describe('a rule that is offered', () => {
  it.each([...byPrefix])('does not cover other effects: %s', (prefix, rows: readonly EvilWords[]) => {
    const evil = rows.flatMap((row) => row.evil);
    expect(evil.length).toBeGreaterThanOrEqual(5);
    const open = evil.filter(
      (words) => decide(`${prefix} ${words}`, [`${prefix} *`]).verdict.decision === 'allow',
    );
    expect(open).toEqual([]);
  });

  it('has a prefix of the tables, and each of them is tested', () => {
    const prefixes = [
      ...[...SUBCOMMANDS, ...NESTED].flatMap(([name, words]) =>
        Array.from(words, (word) => `${name} ${word}`),
      ),
      ...CHECKERS,
      ...Array.from(MODULES, (module) => `python -m ${module}`),
    ];
    const tested = new Set(
      Array.from(byPrefix.keys(), (prefix) => prefix.replace(/^python3? -m (\w+).*/, 'python -m $1')),
    );
    expect(prefixes.filter((prefix) => !tested.has(prefix))).toEqual([]);
  });

  // Further words are other targets, so only the exact command is offered. A rule of the user may have such a prefix.
  const isTarget = (prefix: string): boolean => /^(make|just|task) /.test(prefix);

  it.each([...byPrefix.keys()].filter((prefix) => !isTarget(prefix)))(
    'is offered for a command with these words: %s',
    (prefix) => {
      const { verdict, offered } = decide(`${prefix} x`);
      if (verdict.decision === 'allow') return;
      expect(offered).toMatchObject([{ rules: [{ ruleContent: `${prefix} *` }] }]);
    },
  );
});

describe('a command that does less with an option', () => {
  it.each([
    'npm ci --ignore-scripts',
    'npm install --ignore-scripts left-pad',
    'prettier --check .',
    'npx prettier --check src',
    'prettier -c .',
    'gofmt -l .',
    'gofmt -d main.go',
    'shfmt -d .',
    'gofmt -l=true .',
    'goimports -d .',
    'shfmt -l .',
    'prettier -l .',
    'terraform fmt -check',
    'terraform fmt -check=true -recursive',
    'tofu fmt -diff',
    'cargo fmt --check',
    'ruff format --diff .',
    'git push --dry-run',
    'npm publish --dry-run',
    'cargo publish --dry-run=true',
  ])('gets a rule for exactly these words, or none: %s', (command) => {
    const rules = decide(command).offered.flatMap((update) => ('rules' in update ? update.rules : []));
    expect(rules.map(({ ruleContent }) => ruleContent).filter((text) => text !== command)).toEqual([]);
  });

  it.each([
    'npm ci',
    'npm install left-pad',
    'npm ci --no-audit',
    'prettier .',
    'prettier --no-color .',
    'cargo fmt',
    'gofmt -s .',
    'shfmt -ln bash -i 2 .',
    'terraform plan -lock=false',
    'terraform plan -input=false',
    'terraform plan -no-color',
    'terraform plan -input=false -no-color -out=tf.plan',
    'terraform plan -compact-warnings -detailed-exitcode',
    'terraform validate -no-color',
    'terraform fmt -no-color',
    'terraform fmt -list=false',
    'tofu plan -lock=false -lock-timeout=10s',
  ])('gets a rule with a wildcard without such an option: %s', (command) => {
    const { offered, verdict } = decide(command);
    expect(verdict.decision).toBe('ask');
    expect(offered).toMatchObject([
      { rules: [{ ruleContent: expect.stringMatching(/^\w+( (ci|install|plan|validate|fmt))? \*$/) }] },
    ]);
  });
});
