/** Permitted edits that change what a command of another call means, or a file outside, on a real disk. */
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-later-edits-')));
const project = path.join(base, 'project');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const NAMES = [
  'a.txt',
  'docs/x',
  'docs/deep/y',
  'bare/objects/x',
  'bare/refs/x',
  'secrets/key',
  'ok/deep/x',
  'ok/lib/x',
];
for (const name of [...NAMES, 'other/x', 'other/.git/objects/x', 'other/.git/refs/x', 'copies/a.txt']) {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), '');
}
for (const folder of ['bare', 'other/.git'])
  writeFileSync(path.join(project, folder, 'HEAD'), 'ref: refs/heads/main\n');
execFileSync('git', ['init', '-q'], { cwd: project });
mkdirSync(path.join(base, 'store'));
for (const name of ['lib.js', 'docs/lib.js', 'copies/lib.js']) {
  writeFileSync(path.join(base, 'store', path.basename(name)), '');
  linkSync(path.join(base, 'store', path.basename(name)), path.join(project, name));
  rmSync(path.join(base, 'store', path.basename(name)));
}
mkdirSync(path.join(project, 'pack/in'), { recursive: true });
for (const name of ['pack/x', 'pack/in/y']) {
  writeFileSync(path.join(project, name), '');
  linkSync(path.join(project, name), path.join(base, 'store', name.replaceAll('/', '-')));
}
for (const name of ['lib.js', 'docs/lib.js'])
  linkSync(path.join(project, name), path.join(base, 'store', name.replace('/', '-')));
writeFileSync(path.join(project, 'large'), '');
truncateSync(path.join(project, 'large'), 1e10);
symlinkSync('ok/deep', path.join(project, 'name'));
symlinkSync('name/../lib', path.join(project, 'over'));

interface Setting {
  readonly cwd?: string;
  readonly mode?: 'default' | 'acceptEdits';
  readonly readOnlyView?: boolean;
  readonly deny?: readonly string[];
}

function decisionOn(
  command: string,
  { cwd = '', mode = 'acceptEdits', readOnlyView = true, deny = [] }: Setting = {},
): string {
  const world = observeWorld({
    root: project,
    cwd: path.join(project, cwd),
    directories: [],
    home: base,
    configDirs: [],
    environment: { HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
    readOnlyView,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: deny.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
  return authorize(request, rules, mode, world).decision;
}

function wrong(decision: 'ask' | 'allow', commands: readonly string[], setting?: Setting): readonly string[] {
  return commands.filter((command) => decisionOn(command, setting) !== decision);
}

describe('a file with another name on the disk', () => {
  it('is not changed in place without a question', () => {
    const asked = [
      'echo x >> lib.js',
      'echo x > lib.js',
      'cat a.txt > docs/lib.js',
      'cp a.txt lib.js',
      'cp a.txt ./docs/lib.js',
      'cp -f a.txt lib.js',
      'touch lib.js',
      'touch a.txt lib.js',
      'printf x 2> lib.js',
      'cp -r copies/. docs',
      'echo x | tee lib.js',
    ];
    expect(wrong('ask', asked)).toEqual([]);
  });

  it('is not changed in place if a glob matches it, or one names the copy', () => {
    const asked = [
      'touch l*',
      'touch -c *.js',
      'touch docs/*',
      'cp copies/l* docs',
      'cp copies/* docs/',
      'cp ./copies/*.js ./docs/.',
      'cp -r copies/* docs',
      'cp a.txt copies/l?b.js docs',
      'cp -f copies/[l]ib.js docs',
      'cp copies/{lib.js,a.txt} docs',
      'cd copies && cp l* ../docs',
    ];
    expect(wrong('ask', asked)).toEqual([]);
    const allowed = [
      'touch a*',
      'touch docs/x*',
      'cp a* docs',
      'cp copies/a* docs',
      'cp docs/* ok',
      'rm docs/l*',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
  });

  it('is not changed in place under a name that several edits gave it', () => {
    const asked = [
      'sed -i.bak s/o/b/ lib.js; mv lib.js.bak g; echo x > g',
      'sed -i.bak s/o/b/ lib.js && mv lib.js.bak g && cp a.txt g',
      'sed -i.bak s/o/b/ lib.js; mv lib.js.bak ok; echo x > ok/lib.js.bak',
      'sed -i.bak s/o/b/ lib.js; mv -T lib.js.bak g; touch g',
      'sed -i.bak s/o/b/ lib.js; mv ./lib.js.bak docs/../g; cat a.txt >> g',
      'sed -i.bak s/o/b/ lib.js; sed -i.old s/a/b/ lib.js.bak; echo x > lib.js.bak.old',
      'sed -i.bak s/o/b/ lib.js; sed -i.old s/a/b/ lib.js.bak; mv lib.js.bak.old g; echo x > g',
      'sed --in-place=.b s/o/b/ a.txt docs/lib.js; mv docs/lib.js.b ok/g; printf x > ok/g',
      'cd docs && sed -i.bak s/o/b/ lib.js; mv lib.js.bak ../g; echo x > ../g',
      'sed -i.bak s/o/b/ pack/x; mv pack ok; echo x > ok/pack/x.bak',
      'sed -i.bak s/o/b/ lib.js; mv lib.js.bak a.txt ok; echo x > ok/lib.js.bak',
      'mv lib.js g; sed -i.bak s/o/b/ g; echo x > g.bak',
      'echo x > g; sed -i.bak s/o/b/ lib.js; mv lib.js.bak g; tee g < a.txt',
    ];
    expect(wrong('ask', asked)).toEqual([]);
    const allowed = [
      'sed -i.bak s/o/b/ lib.js; mv lib.js.bak g; echo x > h',
      'sed -i.bak s/o/b/ lib.js; mv lib.js.bak g; rm g',
      'sed -i.bak s/o/b/ lib.js && rm lib.js.bak && echo x > a.txt',
      'sed -i.bak s/o/b/ a.txt; mv a.txt.bak g; echo x > g',
      'sed -i.bak s/o/b/ lib.js; sed -i s/a/b/ lib.js.bak',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
  });

  it('is not changed in place under the name that an earlier edit gave it', () => {
    const asked = [
      'mv lib.js b.js; echo x > b.js',
      'mv lib.js b.js && cp a.txt b.js',
      'mv lib.js ok; touch ok/lib.js',
      'mv lib.js ok/; cp copies/a.txt ok/lib.js',
      'mkdir new; mv lib.js new/a.txt; cp a.txt new',
      'mv lib.js a.txt; printf x >> ./a.txt',
      'mv -f lib.js b.js; cat a.txt > b.js',
      'mv pack new; echo x > new/x',
      'mv pack new; cp docs/x new',
      'mv pack ok; echo x > ok/pack/in/y',
      'mv -T pack new; cp docs/deep/y new/in',
      'mv pack/in ok/deep; cp -r docs/deep/y ok/deep/in/y',
      'mv a.txt lib.js pack/x ok; touch ok/x',
      'sed -i.bak s/a/b/ lib.js; echo x > lib.js.bak',
      'sed --in-place=.old s/a/b/ a.txt lib.js && cp a.txt lib.js.old',
    ];
    expect(wrong('ask', asked)).toEqual([]);
    const allowed = [
      'mv lib.js b.js; echo x > a.txt',
      'mv lib.js b.js; sed -i s/a/b/ b.js',
      'mv pack new; echo x > new/z',
      'mv pack new; mkdir new/z; cp a.txt new/z',
      'sed -i s/a/b/ lib.js && echo x > a.txt',
      'sed -i.bak s/a/b/ lib.js docs/x; echo x > docs/x.bak',
      'sed -i.bak s/a/b/ *.js',
    ];
    expect(wrong('allow', allowed)).toEqual([]);
  });

  it('is replaced, moved or removed by name, which leaves the other file as it is', () => {
    expect(
      wrong('allow', ['rm lib.js', 'mv lib.js b.js', 'sed -i s/a/b/ lib.js', 'mv a.txt lib.js']),
    ).toEqual([]);
    expect(wrong('allow', ['cp lib.js new.js', 'echo x > a.txt', 'touch new'])).toEqual([]);
  });
});

describe('a folder that is moved', () => {
  it('asks if another repository is around it afterwards', () => {
    const asked = [
      'mv docs bare/docs',
      'mv docs bare',
      'mv docs/deep bare/x',
      'mv docs other/docs',
      'mv ok/lib other',
      'mv docs ok other',
      'mv ./docs ./other/new',
    ];
    expect(wrong('ask', asked)).toEqual([]);
  });

  it('needs no question within its repository', () => {
    expect(
      wrong('allow', ['mv docs manual', 'mv docs ok', 'mv docs/deep .', 'mv a.txt other/a.txt']),
    ).toEqual([]);
  });
});

describe('a path that climbs out of a folder after a wait', () => {
  const asked = [
    'sleep 6; cat ../../secrets/key',
    'sleep 6; cat ../secrets/key',
    'sleep 6; head -1 ../x ../y',
    'find . -name x | head -1; cat ../x',
    'sleep 6; wc -l < ../x',
    'cat ../../large; cat ../x',
  ];

  it('asks in acceptEdits beside a rule, and without the read-only view', () => {
    expect(wrong('ask', asked, { cwd: 'docs/deep', deny: ['Read(./other/secrets/**)'] })).toEqual([]);
    expect(wrong('ask', asked, { cwd: 'docs/deep', readOnlyView: false })).toEqual([]);
  });

  it('needs no question otherwise', () => {
    expect(wrong('allow', asked, { cwd: 'docs/deep' })).toEqual([]);
    const deny = ['Read(./other/secrets/**)'];
    expect(wrong('allow', asked, { cwd: 'docs/deep', mode: 'default', deny })).toEqual([]);
    expect(wrong('allow', ['cat ../x', 'ls && cat ../x'], { cwd: 'docs/deep', deny })).toEqual([]);
    expect(wrong('allow', ['sleep 6; cat docs/x'], { deny })).toEqual([]);
  });
});

describe('git after a file that takes long to read', () => {
  it('asks in a folder that may be moved', () => {
    expect(
      wrong('ask', ['cd docs && wc -l ../large; git diff', 'cd docs; cat ../large | tail -1; git status']),
    ).toEqual([]);
    expect(wrong('allow', ['wc -l large; git diff', 'cd docs && wc -l x; git diff'])).toEqual([]);
  });
});

describe('git data behind a link over another link', () => {
  const repository = path.join(base, 'linked');

  it('asks, because an edit may replace that link by a folder', () => {
    mkdirSync(path.join(repository, 'ok/deep'), { recursive: true });
    execFileSync('git', ['init', '-q', 'ok/data'], { cwd: repository });
    symlinkSync('ok/deep', path.join(repository, 'name'));
    symlinkSync('name/../data/.git', path.join(repository, 'lead'));
    writeFileSync(path.join(repository, '.git'), 'gitdir: lead\n');
    const surroundings = { root: repository, cwd: repository, directories: [], home: base, configDirs: [] };
    const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
    const world = observeWorld({ ...surroundings, environment, readOnlyView: true });
    for (const command of ['git status', 'git diff', 'sleep 6; git log', 'rm lead']) {
      const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
      const { decision } = authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world);
      expect([command, decision]).toEqual([command, 'ask']);
    }
  });
});
