/** Tests which calls the read-only view allows instead of a question. */
import { describe, expect, it } from 'vitest';
import type { GitFacts } from '@heddle/tools/shell';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import type { AuthorizeRequest } from './request.ts';
import type { RuleTexts } from './test/ask.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

interface Setting {
  readonly rules?: RuleTexts;
  readonly mode?: PermissionMode;
  readonly request?: Partial<AuthorizeRequest>;
  readonly view?: boolean;
  readonly isTrusted?: boolean;
  readonly git?: GitFacts;
}

function decided(
  command: string,
  {
    rules = {},
    mode = 'default',
    request = {},
    view = true,
    isTrusted = true,
    git = CLEAN_GIT,
  }: Setting = {},
): string {
  const list = (texts: readonly string[] = []) => texts.map((text) => ({ text, source: 'user' as const }));
  const { decision, readOnlyRun } = authorize(
    { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined, ...request },
    { deny: list(rules.deny), ask: list(rules.ask), allow: list(rules.allow) },
    mode,
    {
      ...worldOf({ files: [`${ROOT}/secrets`, `${ROOT}/ctl`], pipes: [`${ROOT}/ctl`, '/srv/ctl'], git }),
      gitIn: () => git,
      readOnlyView: view,
      isTrusted: () => isTrusted,
    },
  );
  return readOnlyRun === undefined ? decision : `${decision} ${readOnlyRun}`;
}

describe('a command that reads according to its program', () => {
  const READS = [
    'tar tf a.tar',
    'tar -tzvf a.tgz | head',
    'zcat log.gz | grep x',
    'b2sum a b',
    'nm -C a.o',
    'objdump -d a.o',
    'bat --style=plain a.ts',
    'ag --unknown-option x',
    'npm ls --depth=0',
    'npm run',
    'pip list --format json',
    'python3 -m pip show x',
    'cargo tree -e features',
    'python3 --version && cargo --version',
    'terraform --help',
    `awk '$3 > 100 { print $1 }' a`,
    `sed -n '/a/,/b/{p;q}' a`,
    'git -c core.pager=x log --some-new-option',
    'git diff --ext-diff',
    'git -C sub describe --dirty',
    'git stash list',
    'git branch -vv --sort=-committerdate',
    'for f in *.gz; do zcat "$f" | wc -l; done',
    'if [ -f a ]; then nm a; else ls; fi',
    'LC_ALL=C sort --parallel=2 a',
    'unzip -l a.zip',
    'seq 1 3 | paste -sd+ | bc',
    'ip -br addr show',
    'ip route',
    'journalctl -n 5',
    'make -n all',
    'gcc -v',
    'find . -newermt yesterday -printf x',
    'gzip -l a.gz',
    'gzip -dc a.gz',
    'xz -l a.xz',
    'less a',
    'man ls',
    'hostname -I',
    'lsb_release -a',
    'crontab -l',
    'openssl dgst -sha256 a',
    'openssl x509 -in a -text -noout',
    'xmllint --noout x.xml',
    'shellcheck x.sh',
    'sqlite3 x.db .tables',
  ];
  it.each(READS)('is allowed on the condition that it changes nothing: %s', (command) => {
    for (const mode of ['default', 'plan', 'acceptEdits', 'dontAsk'] as const)
      expect(decided(command, { mode })).toMatch(/^allow (required|preferred)$/);
    expect(decided(command, { request: { failedInView: true } })).toBe('ask');
  });

  it('needs the view, and is asked about without it or once it failed there', () => {
    for (const command of ['terraform --help', 'scc .', 'cargo tree', 'ag --unknown-option x']) {
      expect(decided(command)).toBe('allow required');
      expect(decided(command, { mode: 'plan' })).toBe('allow required');
      expect(decided(command, { view: false })).toBe('ask');
      expect(decided(command, { view: false, mode: 'plan' })).toBe('deny');
    }
  });

  it.each([
    'gzip a',
    'gzip -d a.gz',
    'crontab a',
    'openssl genrsa 2048',
    'openssl x509 -in a -out b',
    "sqlite3 x.db 'delete from a'",
    "sqlite3 x.db '.shell ls'",
    'man -P ./x ls',
    'tar xf a.tar',
    'tar tf a.tar > list',
    'tar tf a.tar && touch b',
    'tar tf a.tar | tee list',
    'sed -i s/a/b/ c',
    'sed -ni.bak p c',
    'sort -uo out a',
    'sort --output=out a',
    'find . -delete',
    'find . -name x -exec rm {} +',
    'find . -fprint out',
    'fd x -x rm',
    'git log --output=out',
    'git branch new',
    'git stash',
    'git fetch',
    'git config user.name x',
    'npm install',
    'npm run build',
    'npm view x',
    'pip install x',
    'cargo build',
    'ip link set eth0 down',
    'ip addr add 10.0.0.1/8 dev lo',
    'journalctl --vacuum-time=1s',
    'make all',
    'gcc -v a.c',
    'docker run x',
    'node script.js',
    'python3 -c "print(1)"',
    'bash -c "ls"',
    'eval ls',
    './tar tf a',
    'PATH=. tar tf a',
    'LD_PRELOAD=./x.so ls',
    '$x --version',
    './x --version',
    'zcat a; $(echo touch) b',
    'zcat a > "$x"',
    'f() { zcat a; }; f',
    'zcat a $((x[$(touch b)]))',
    'zcat < /dev/tcp/127.0.0.1/80',
    `zcat a "\${x[$y]}" 'b`,
  ])('is asked about if the command is more than that: %s', (command) => {
    expect(decided(command)).toBe('ask');
    expect(decided(command, { mode: 'plan' })).toMatch(/deny|ask/);
  });

  it('is still subject to deny and ask rules', () => {
    expect(decided('tar tf a.tar', { rules: { deny: ['Bash(tar *)'] } })).toBe('deny');
    expect(decided('tar tf a.tar', { rules: { ask: ['Bash(tar *)'] } })).toBe('ask');
    expect(decided('zcat secrets/a', { rules: { deny: ['Read(./secrets/**)'] } })).toBe('deny');
    expect(decided('zcat "$x"', { rules: { deny: ['Read(./secrets/**)'] } })).toBe('ask');
  });

  it('asks if it may read or run something unseen that a rule concerns', () => {
    for (const rules of [{ deny: ['Read(./secrets/**)'] }, { ask: ['Bash(rm *)'] }]) {
      expect(decided('zcat a.gz', { rules })).toMatch(/^allow/);
      for (const command of ['scc .', `awk '{ print > $1 }' a`, 'zstdcat --some-option a', 'x --version'])
        expect(decided(command, { rules })).toBe('ask');
    }
  });

  describe('in a folder that is not trusted', () => {
    const asks = (command: string, helpers: readonly string[] = []): string =>
      decided(command, { isTrusted: false, git: { helpers, submodules: false } });

    it('runs no program that the repository configures', () => {
      for (const helper of ['diff.external', 'diff.x.textconv', 'core.fsmonitor', 'filter.x.clean'])
        for (const command of [
          'git diff',
          'git -C sub diff',
          'git show --some-option',
          'git describe --dirty',
        ])
          expect(asks(command, [helper])).toBe('ask');
      expect(decided('git diff', { git: { helpers: ['diff.external'], submodules: false } })).toBe(
        'allow required',
      );
    });

    it('runs no command that an alias can replace: git 2.52 prefers one to a deprecated command', () => {
      for (const command of ['git whatchanged', 'git -C sub whatchanged -p', 'git --no-pager whatchanged -3'])
        for (const isTrusted of [true, false]) expect(decided(command, { isTrusted })).toBe('ask');
    });

    it('runs no program that the command gives to git', () => {
      for (const command of [
        'git -c core.fsmonitor=./x status',
        'git --exec-path=. log',
        'git --git-dir=x log',
        'git grep -O./x a',
        'git log --some-option --format=%G?',
        'git log --show-signature',
        'git verify-commit HEAD',
      ])
        expect(asks(command)).toBe('ask');
    });

    it('runs no program that loads code of the project', () => {
      for (const command of ['make -n', 'cargo tree', 'yarn list', 'bundle list', 'python3 -m pip list'])
        expect(asks(command)).toBe('ask');
    });

    it('still reads with git and other programs', () => {
      for (const command of ['git describe --dirty', 'git show-branch', 'objdump -d a.o', 'npm ls'])
        expect(asks(command)).toMatch(/^allow (required|preferred)$/);
    });
  });

  it('runs in the sandbox if commands are sandboxed', () => {
    expect(decided('npm ls', { request: { sandboxed: true } })).toBe('allow');
  });
});

describe('a call runs in the view', () => {
  it('if nothing but proof allows it', () => {
    expect(decided('ls; cat a | wc -l')).toBe('allow preferred');
    expect(decided('ls', { view: false })).toBe('allow preferred');
    expect(decided('ls', { mode: 'plan' })).toBe('allow preferred');
    expect(decided('ls', { request: { sandboxed: true } })).toBe('allow preferred');
    expect(decided('cat a', { rules: { allow: ['Read'] } })).toBe('allow preferred');
    expect(decided('ls', { request: { failedInView: true } })).toBe('ask');
  });

  it('unless a rule, the mode or a hook allows it with its effects', () => {
    expect(decided('ls', { rules: { allow: ['Bash(ls *)'] } })).toBe('allow');
    expect(decided('npm test; echo $?', { rules: { allow: ['Bash(npm test)'] } })).toBe('allow');
    expect(decided('ls', { mode: 'bypassPermissions' })).toBe('allow');
    expect(decided('make', { request: { hookDecision: 'allow' } })).toBe('allow');
    expect(decided('npm test && npm ls', { rules: { allow: ['Bash(npm test)'] } })).toBe('ask');
    expect(decided('touch a', { mode: 'acceptEdits' })).toBe('allow edits');
  });

  it('in plan mode also if a rule or a hook allows it with its effects', () => {
    for (const command of [`awk 'BEGIN { print 1 > "a" }'`, 'sed -f x.sed a', 'cargo tree', 'scc .'])
      for (const allow of [['Bash'], ['Bash(awk *)', 'Bash(sed *)', 'Bash(cargo *)', 'Bash(scc *)']]) {
        expect(decided(command, { mode: 'plan', rules: { allow } })).toBe('allow required');
        expect(decided(command, { mode: 'plan', rules: { allow }, view: false })).toBe('deny');
      }
    const blind = { mode: 'plan', rules: { deny: ['Read(./secrets/**)'] } } as const;
    expect(decided('zcat -x a', { ...blind, request: { hookDecision: 'allow' } })).not.toMatch(/^allow$/);
  });
});

describe('a named pipe, which the view can write to', () => {
  const WRITES = [
    'echo x | uniq - /srv/ctl',
    'echo x | uniq - ctl',
    'uniq - b',
    'uniq a b',
    'uniq -- - b',
    'uniq a "$x"',
    'echo ctl | xargs uniq',
    'echo ctl | xargs uniq -',
    'xxd - ctl',
    'xxd a b',
    `awk 'BEGIN { print "x" > "ctl" }'`,
    `awk 'BEGIN { print "x" > "/srv/ctl" }'`,
    `awk 'BEGIN { printf "x" >> "ctl" }'`,
    `awk -v f=ctl 'BEGIN { print "x" > f }'`,
    'gawk -dctl 1 a',
    `sed 'w ctl' a`,
    'cloc --out=ctl .',
    'scc -o ctl',
    'scc -octl',
    'mlr --icsv cat then tee ctl a',
    'zstd -t --trace=ctl x',
    'journalctl --cursor-file=ctl',
    'xmllint --outp ctl x',
    'pip list --log ctl',
    'tokei ctl',
    'tokei ct*',
    'for f in ctl; do scc -o $f; done',
  ];
  it('is not read, because the data would be lost for others', () => {
    expect(decided('cat ctl 2>/dev/null')).toBe('ask');
  });
  it.each(WRITES)('is not written: %s', (command) => {
    for (const mode of ['default', 'acceptEdits'] as const) expect(decided(command, { mode })).toBe('ask');
    expect(decided(command, { mode: 'plan' })).toBe('deny');
  });
  it.each(['uniq a', 'uniq -', 'uniq -c - | sort', 'awk 1 a', 'xxd a', 'nm a'])(
    'does not concern: %s',
    (command) => expect(decided(command)).toMatch(/^allow/),
  );
});

describe('a proven command in the background that a rule covers', () => {
  const request = (command: string) => ({ request: { input: { command, run_in_background: true } } });
  const allow = ['Bash(cat:*)', 'Bash(sleep:*)', 'Bash(npm test)'];

  it('keeps the view if a rule denies reading, because links may change before it reads', () => {
    for (const command of ['cat README.md', 'sleep 4; cat README.md src/key', 'cat a | head'])
      expect(decided(command, { ...request(command), rules: { allow, deny: ['Read(./secrets/**)'] } })).toBe(
        'allow preferred',
      );
  });

  it('runs outside the view without such a rule, and beside a command with effects', () => {
    const command = 'cat README.md';
    expect(decided(command, { ...request(command), rules: { allow } })).toBe('allow');
    const other = 'npm test && cat README.md';
    expect(decided(other, { ...request(other), rules: { allow, deny: ['Read(./secrets/**)'] } })).toBe(
      'allow',
    );
  });
});
