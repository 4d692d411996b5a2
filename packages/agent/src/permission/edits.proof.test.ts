/**
 * No script that acceptEdits lets pass changes a file outside the project or a protected place, and none that passes beside a
 * Read deny rule prints a denied file. Random scripts run on a real disk, in a project full of links and hard links that lead out of it.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { Rules } from './rules/rule.ts';
import { type Choose, choices } from './test/choices.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const DECIDED = proving ? 100_000 : 60;
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_261_115);
const SECRET = 'the text that stays inside';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-edits-')));
afterAll(() => removeTree(base));

/** The files outside or protected, and their other names in the project. */
const HARD_LINKS = [
  ['out/f', 'project/h'],
  ['out/x', 'project/full/a'],
  ['out/sub/y', 'project/full/sub/y'],
  ['project/.git/config', 'project/full/cfg'],
] as const;

function makeFixture(): string {
  const fixture = path.join(base, 'fixture');
  const project = path.join(fixture, 'project');
  const file = (name: string, text = name): void => {
    mkdirSync(path.dirname(path.join(fixture, name)), { recursive: true });
    writeFileSync(path.join(fixture, name), text);
  };
  const link = (name: string, target: string): void => {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    symlinkSync(target, path.join(project, name));
  };
  for (const name of ['f', 'x', 'sub/y', 'payload/f']) file(`out/${name}`);
  for (const name of [
    'a',
    'b',
    'plain/x',
    'plain/sub/y',
    'tmpl/cfg',
    'tmpl/n/z',
    'nested/p/.git/config',
    'dir/x',
    'up/deep/z',
    'full/free',
  ])
    file(`project/${name}`);
  for (const [, name] of HARD_LINKS) file(name);
  for (const name of ['.git/config', '.git/hooks/x', '.claude/settings.json']) file(`project/${name}`);
  file('project/secrets/key', SECRET);
  link('dst/f', '../../out/f');
  link('dst/hk', '../.git/hooks');
  link('deep/er/payload', '../../../out');
  link('o', '../out');
  link('d/k', '../secrets/key');
  link('d/sd', '../secrets');
  link('t2/tmpl/cfg', '../../.git/config');
  link('t2/tmpl/n', '../../../out');
  link('hk', '.git/hooks');
  link('ud', 'up/deep');
  link('up/a', '../.git/hooks/x');
  link('up/t/cfg', '../../.git/config');
  link('up/t/a', '../../.git/config');
  link('up/o', '../../out');
  link('later', 'new/deep');
  return fixture;
}

const fixture = makeFixture();

const NAMES = (
  'a b c q q q/f q/x q/hk q/hk/x q/er q/er/payload q/er/payload/f q/k q/sd/key q/dst q/dst/f dst dst/f dst/hk deep deep/er o o/f d d/k plain ' +
  'plain/x plain/sub dir dir/f dir/dst/f dir/o/x dir/q tmpl t2 t2/tmpl nested nested/p r r/f r/q/f secrets/key .git/config ./q/../q/f dir/.. * d* q/* */f ' +
  'q/../hk q/../hk/x q/../o/f a/../hk/y q/../ud/../t ud ud/.. ud/../a ud/../t ud/../o/f ud/../hk ud/../hk/x ud/../up/o later later/../o/x new/deep ud/../t/* ' +
  'h h h* full full/a full/* full/free full/sub full/cfg q/a q/sub/y h.bak tmpl/* {a,h} [ah]'
).split(' ');
const EDITS = (
  'mv % %|mv % %|mv -T % %|cp % %|cp -a % %|cp -r % %|cp -P % %|cp -rL % %|cp -R % % %|rm -r %|rm %|rm -rf %|mkdir -p %|touch %|echo x > %|' +
  'echo x >> %|cat % > %|cd %|sed -i s/x/y/ %|true|cat a > %|' +
  'sed -i.bak s/x/y/ %|cp % % %|mv % % %|touch -c %|cp -f % %|mv -n % %|cp -n % %|rmdir %'
).split('|');
const READS = (
  'mv % %|mv % %|cp -a % %|cp -r % %|cp % %|ln -s % %|cat %|cat %|cat %|head -n 5 %|grep -r . %|grep -R . %|cd %|cat < %|diff -r % %|' +
  "tar chf - %|tar cf - %|find % -exec cat {} +|sed 'r %' a|sort %|tail -n 3 % %|cp -rL % %"
).split('|');
const SHAPES = (
  '%|%; %|% && %|%; %; %|%; %; %; %|{ %; %; }; %|(%); %|if %; then %; fi|for i in 1 2; do %; %; done|% | %|%; cat "$(%)"|% & wait; %|' +
  '{ %; %; } > c|% || %|echo "$(%)" > %'
).split('|');

function randomScript(choose: Choose, commands: readonly string[]): string {
  const command = (): string => choose(commands).replaceAll('%', () => choose(NAMES));
  const shape = choose(SHAPES);
  if (shape.endsWith('> %')) return shape.replace('> %', () => `> ${choose(NAMES)}`).replace('%', command);
  return shape.replaceAll('%', command);
}

/** Every file outside of the project and every protected one, with its times and content. */
function forbiddenPlaces(place: string): string {
  const lines: string[] = [];
  const look = (folder: string, counts: boolean): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const file = path.join(folder, name);
      const isCounted = counts || name === '.git' || name === '.claude';
      const stat = lstatSync(file);
      const content = stat.isSymbolicLink()
        ? readlinkSync(file)
        : stat.isFile()
          ? readFileSync(file, 'utf8')
          : '';
      if (isCounted) lines.push(`${path.relative(place, file)} ${stat.mtimeMs} ${content}`);
      if (stat.isDirectory()) look(file, isCounted);
    }
  };
  look(path.join(place, 'out'), true);
  look(path.join(place, 'project'), false);
  return lines.join('\n');
}

/** The times of all files. Undefined for a tree that is too deep: `cp -rL` through a link can copy a folder into itself. */
function timesIn(place: string): string | undefined {
  const lines: string[] = [];
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      const stat = lstatSync(file);
      lines.push(`${file} ${stat.mtimeMs} ${stat.ctimeMs}`);
      if (stat.isDirectory()) look(file);
    }
  };
  try {
    look(place);
    return lines.join('\n');
  } catch {
    return undefined;
  }
}

/** Scripts that reach out of the project through a link that they make, move or meet. */
const EDIT_ATTACKS = [
  'cp -a dst q && echo x > q/hk/x',
  'mv deep/er deep/w; rm -r deep/w/payload/f',
  'cp -P dst/f plain/q; echo x > plain/q',
  'cp -r tmpl t2',
  'mv o q; rm q/f',
  'cp -a deep q; echo y > q/er/payload/f',
  'for i in 1 2; do echo x > q/f; mv o q; done',
  'rm -rf nested',
  // `..` after a folder that the script makes, or after a link.
  'mkdir q; echo x > q/../hk/y',
  'mkdir -p q/../hk/y',
  'mkdir -p q/../o/../out/y',
  'rm a; mkdir a; touch a/../hk/y',
  'mkdir q; rm -r q/../o/sub',
  'cp a ud/../t',
  'cp b a ud/../t',
  'cp -r tmpl/. ud/../t',
  'touch ud/../t/*',
  'rm ud; mkdir ud; echo x > ud/../hk/y',
  'rm ud; mkdir ud; cd ud && echo x > ../hk/y',
  'rm later; mkdir later; rm -r later/../o/sub',
  // A file with another name, which a glob names, or which an edit moved.
  'touch h*',
  'touch full/*',
  'cp -r plain/* full',
  'cp tmpl/* full',
  'cp [ab] full/',
  'mv h q; echo x > q',
  'mv h dir && cp a dir/h',
  'mv h a; cat b > a',
  'mv full q; cp a q',
  'mv full q; cp -r plain/sub q',
  'mkdir q; mv full q; touch q/full/sub/y',
  'sed -i.bak s/x/y/ h; echo x > h.bak',
];
const READ_ATTACKS = [
  'mv d j; cat j/k',
  'cp -a d q; cat q/k',
  'grep -R . d',
  'cp -rL d q; cat q/k',
  'find -L d -type f -exec cat {} +',
  'ln -s secrets q; cat q/key',
  "sed 'r secrets/key' a",
  'diff -rN d plain',
  'mkdir q; cat q/../d/k',
  'rm ud; mkdir ud; cat ud/../d/k',
  'mkdir q; cd q/../d && cat k',
];

const work = path.join(base, 'work');
const project = path.join(work, 'project');

/** Removes a tree of any depth. */
function removeTree(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch {
    spawnSync('rm', ['-rf', place]);
  }
}

/** Makes the project anew. */
function renewProject(): void {
  removeTree(work);
  cpSync(fixture, work, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  for (const [file, other] of HARD_LINKS) {
    rmSync(path.join(work, other));
    linkSync(path.join(work, file), path.join(work, other));
  }
}

function isAllowed(command: string, mode: PermissionMode, deny: readonly string[]): boolean {
  const rules: Rules = { deny: deny.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
  const home = path.join(work, 'home');
  const world = observeWorld({
    root: project,
    cwd: project,
    directories: [],
    home,
    configDirs: [],
    environment: {},
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, mode, world).decision === 'allow';
}

type Effect = 'prints a denied file' | 'changes a forbidden place';

/** Runs a script in the project. Returns whether it had the effect. */
function hasEffect(command: string, effect: Effect): boolean {
  const before = effect === 'changes a forbidden place' ? forbiddenPlaces(work) : '';
  const options = { cwd: project, timeout: 10_000, input: '', encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync('bash', ['-c', command], options);
  if (effect === 'prints a denied file') return `${stdout}${stderr}`.includes(SECRET);
  return forbiddenPlaces(work) !== before;
}

function tryScripts(
  commands: readonly string[],
  mode: PermissionMode,
  deny: readonly string[],
  effect: Effect,
): { readonly executed: number; readonly findings: readonly string[] } {
  const choose = choices(seed);
  const findings: string[] = [];
  renewProject();
  let times = timesIn(work);
  let executed = 0;
  for (let count = 0; count < DECIDED; count++) {
    const script = randomScript(choose, commands);
    if (!isAllowed(script, mode, deny)) continue;
    executed++;
    if (hasEffect(script, effect)) findings.push(script);
    if (times !== undefined && timesIn(work) === times) continue;
    renewProject();
    times = timesIn(work);
  }
  return { executed, findings };
}

const DENY = ['Read(./secrets/**)'];

describe('an attack through links', () => {
  it.each(EDIT_ATTACKS)('changes a forbidden place if it runs, and acceptEdits asks first: %s', (script) => {
    renewProject();
    expect(hasEffect(script, 'changes a forbidden place')).toBe(true);
    renewProject();
    expect(isAllowed(script, 'acceptEdits', [])).toBe(false);
  });

  it.each(READ_ATTACKS)('prints a denied file if it runs, and bypassPermissions asks first: %s', (script) => {
    renewProject();
    expect(hasEffect(script, 'prints a denied file')).toBe(true);
    renewProject();
    expect(isAllowed(script, 'bypassPermissions', DENY)).toBe(false);
  });
});

describe('random scripts on a real disk', () => {
  it(`change nothing outside the project or protected in acceptEdits, among ${DECIDED} (seed ${seed})`, () => {
    const { executed, findings } = tryScripts(EDITS, 'acceptEdits', [], 'changes a forbidden place');
    expect(findings).toEqual([]);
    expect(executed).toBeGreaterThan(DECIDED / 20);
  });

  it(`print no denied file in bypassPermissions, among ${DECIDED} (seed ${seed})`, () => {
    const { executed, findings } = tryScripts(READS, 'bypassPermissions', DENY, 'prints a denied file');
    expect(findings).toEqual([]);
    expect(executed).toBeGreaterThan(DECIDED / 20);
  });
});
