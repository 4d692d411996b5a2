import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsIn, withoutComments } from './imports.ts';
import { findInstructions, findNestedInstructions, type InstructionPlaces } from './instruction-files.ts';

function project(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-instructions-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const places: InstructionPlaces = {
    cwd: path.join(root, 'work'),
    top: path.join(root, 'work'),
    configDirs: [path.join(root, 'home')],
    sources: ['user', 'project', 'local'],
  };
  const near = (file: string): string => path.relative(root, file);
  const found = (more: Partial<InstructionPlaces> = {}) => findInstructions({ ...places, ...more });
  return { root, places, near, found };
}

describe('instruction files', () => {
  it('are read from the user down to the working directory, the closest last', () => {
    const { found, near } = project({
      'home/CLAUDE.md': 'user',
      'home/rules/style.md': 'rule of the user',
      'work/AGENTS.md': 'agents',
      'work/CLAUDE.md': 'claude',
      'work/HEDDLE.md': 'heddle',
      'work/.claude/rules/a.md': 'rule',
      'work/.claude/rules/deep/b.md': 'deep rule',
      'work/CLAUDE.local.md': 'local',
      'work/.heddle/HEDDLE.md': 'own folder',
    });
    expect(found().files.map(({ file, text }) => [near(file), text])).toEqual([
      ['home/CLAUDE.md', 'user'],
      ['home/rules/style.md', 'rule of the user'],
      ['work/AGENTS.md', 'agents'],
      ['work/CLAUDE.md', 'claude'],
      ['work/HEDDLE.md', 'heddle'],
      ['work/.heddle/HEDDLE.md', 'own folder'],
      ['work/CLAUDE.local.md', 'local'],
      ['work/.claude/rules/a.md', 'rule'],
      ['work/.claude/rules/deep/b.md', 'deep rule'],
    ]);
  });

  it('are limited to the sources that are asked for', () => {
    const { found } = project({
      'home/CLAUDE.md': 'user',
      'work/CLAUDE.md': 'p',
      'work/CLAUDE.local.md': 'l',
    });
    expect(found({ sources: ['local'] }).files.map(({ text }) => text)).toEqual(['l']);
    expect(found({ sources: [] }).files).toEqual([]);
  });

  it('count once if one is a link to another or imports it', () => {
    const { root, found } = project({ 'work/AGENTS.md': 'the rules' });
    symlinkSync('AGENTS.md', path.join(root, 'work/CLAUDE.md'));
    expect(found().files.map(({ text }) => text)).toEqual(['the rules']);
    const importing = project({ 'work/AGENTS.md': 'the rules', 'work/CLAUDE.md': '@AGENTS.md' });
    expect(importing.found().files.map(({ text }) => text)).toEqual(['the rules', '@AGENTS.md']);
  });

  it('contain what they import, at most four files deep and without cycles', () => {
    const { found, near } = project({
      'work/CLAUDE.md': 'see @docs/1.md and @docs/one.md.',
      'work/docs/1.md': '@2.md',
      'work/docs/2.md': '@3.md',
      'work/docs/3.md': '@4.md',
      'work/docs/4.md': 'four @5.md @1.md',
      'work/docs/5.md': 'five',
      'work/docs/one.md': 'one',
    });
    const { files, problems } = found();
    expect(files.map(({ file }) => near(file))).toEqual([
      'work/docs/1.md',
      'work/docs/2.md',
      'work/docs/3.md',
      'work/docs/4.md',
      'work/docs/one.md',
      'work/CLAUDE.md',
    ]);
    expect(problems).toEqual([expect.stringContaining('@5.md is more than 4 imports deep')]);
  });

  it('outside of the project are refused before they are read, because a pipe or a device would notice', () => {
    const { root, found } = project({ 'empty.txt': '', 'work/HEDDLE.md': 'x @../pipe' });
    symlinkSync('../empty.txt', path.join(root, 'work/AGENTS.md'));
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    symlinkSync('../pipe', path.join(root, 'work/CLAUDE.md'));
    const { files, problems } = found();
    expect(files.map(({ text }) => text)).toEqual(['x @../pipe']);
    expect(problems).toEqual([
      expect.stringContaining('AGENTS.md: leads out of the project'),
      expect.stringContaining('CLAUDE.md: leads out of the project'),
    ]);
  });

  it('of a project do not import or link to files outside of it', () => {
    const { root, found } = project({ 'secret.txt': 'key', 'work/CLAUDE.md': 'x @../secret.txt' });
    symlinkSync('../secret.txt', path.join(root, 'work/AGENTS.md'));
    const { files, problems } = found();
    expect(files.map(({ text }) => text)).toEqual(['x @../secret.txt']);
    expect(problems).toEqual([
      expect.stringContaining('leads out of the project'),
      expect.stringContaining('outside of the project'),
    ]);
  });

  it.each(['node_modules/evil', 'vendor/evil', '.venv/lib/site-packages/evil', 'nested'])(
    'of %s in a trusted project do not import files outside of the project',
    (folder) => {
      const { root, places } = project({
        'private.txt': 'private',
        'other.txt': 'other',
        'work/shared.md': 'shared',
        'work/own/CLAUDE.md': `@../../private.txt @../${folder}/deep/more.md`,
        'work/nested/.git/HEAD': 'ref: refs/heads/main',
        [`work/${folder}/CLAUDE.md`]: `@${'../'.repeat(folder.split('/').length)}shared.md`,
        [`work/${folder}/deep/CLAUDE.md`]: `@${'../'.repeat(folder.split('/').length + 2)}private.txt`,
        [`work/${folder}/deep/more.md`]: `@${'../'.repeat(folder.split('/').length + 2)}other.txt`,
      });
      const trusting = { ...places, isTrusted: () => true };
      const found = (file: string) => findNestedInstructions(path.join(root, file), trusting);
      const nested = found(`work/${folder}/deep/x.js`);
      expect(nested.files.map(({ text }) => text)).toContain('shared');
      expect(nested.files.map(({ text }) => text)).not.toContain('private');
      expect(nested.problems).toEqual([expect.stringContaining('of a package or of a nested repository')]);
      const own = found('work/own/x.js');
      expect(own.files.map(({ text }) => text)).toContain('private');
      expect(own.files.map(({ text }) => text)).not.toContain('other');
      expect(own.problems).toEqual([expect.stringContaining('of a package or of a nested repository')]);
    },
  );

  describe('of a folder above the project, which is not trusted,', () => {
    it.each([
      ['CLAUDE.md', 'private.txt'],
      ['AGENTS.md', 'docs/private.md'],
      ['HEDDLE.md', '.ssh/id'],
      ['CLAUDE.local.md', 'private.txt'],
      ['HEDDLE.local.md', 'other-project/.env'],
      ['.claude/CLAUDE.md', '../private.txt'],
      ['.heddle/HEDDLE.md', '../private.txt'],
      ['.claude/rules/a.md', '../../private.txt'],
      ['.heddle/rules/a.md', '../../private.txt'],
      ['.claude/rules', '../notes'],
    ])('do not link to another file of that folder: %s -> %s', (name, target) => {
      const { root, found } = project({ 'work/CLAUDE.md': 'own' });
      const link = path.join(root, name);
      const file = path.join(path.dirname(link), target, name.endsWith('rules') ? 'n.md' : '');
      mkdirSync(path.dirname(file), { recursive: true });
      mkdirSync(path.dirname(link), { recursive: true });
      writeFileSync(file, 'private');
      symlinkSync(target, link);
      const { files, problems } = found();
      expect(files.map(({ text }) => text)).toEqual(['own']);
      const permits = `\`heddle permissions trust\` in ${root} permits it.`;
      expect(problems).toEqual([`${path.join(root, name)}: behind a link, ignored. ${permits}`]);
      const trusting = found({ isTrusted: (folder) => folder === root });
      expect(trusting.files.map(({ text }) => text)).toEqual(['private', 'own']);
    });

    it('import only files that apply anyway', () => {
      const { root, found } = project({
        'AGENTS.md': 'rules',
        'CLAUDE.md': 'x @AGENTS.md @private.txt @./docs/y.md',
        'private.txt': 'private',
        'docs/y.md': 'private',
      });
      expect(found().files.map(({ text }) => text)).toEqual([
        'rules',
        'x @AGENTS.md @private.txt @./docs/y.md',
      ]);
      const ignored = `is outside of the project, ignored. \`heddle permissions trust\` in ${root} permits it.`;
      expect(found().problems).toEqual([
        `${path.join(root, 'CLAUDE.md')}: @private.txt ${ignored}`,
        `${path.join(root, 'CLAUDE.md')}: @./docs/y.md ${ignored}`,
      ]);
      const trusting = found({ isTrusted: (folder) => folder === root });
      expect(trusting.files.map(({ text }) => text)).toContain('private');
    });
  });

  describe('of a folder above the project, to files that apply anyway,', () => {
    it.each([
      ['AGENTS.md', 'CLAUDE.md'],
      ['CLAUDE.md', 'AGENTS.md'],
      ['AGENTS.md', 'HEDDLE.local.md'],
      ['AGENTS.md', '.claude/CLAUDE.md'],
      ['AGENTS.md', 'work/CLAUDE.md'],
    ])('need no trust for links and imports: %s to %s', (name, target) => {
      const linked = project({ [target]: 'rules' });
      symlinkSync(target, path.join(linked.root, name));
      expect(linked.found().files).toMatchObject([{ file: path.join(linked.root, target), text: 'rules' }]);
      expect(linked.found().problems).toEqual([]);
      const importing = project({ [name]: `first @${target}`, [target]: 'rules' });
      const texts = importing.found().files.map(({ text }) => text);
      expect(texts.toSorted()).toEqual([`first @${target}`, 'rules']);
      expect(importing.found().problems).toEqual([]);
    });

    it('report a file that the settings leave out', () => {
      const { root, found } = project({ 'HEDDLE.md': 'x @CLAUDE.local.md', 'CLAUDE.local.md': 'private' });
      symlinkSync('CLAUDE.local.md', path.join(root, 'AGENTS.md'));
      expect(found({ sources: ['project'] }).files.map(({ text }) => text)).toEqual(['x @CLAUDE.local.md']);
      expect(found({ sources: ['project'] }).problems).toHaveLength(2);
    });

    it('keep the imports of a file of the project', () => {
      const { found } = project({
        'AGENTS.md': '@work/CLAUDE.md',
        'work/CLAUDE.md': 'x @more.md',
        'work/more.md': 'more',
      });
      expect(found().files.map(({ text }) => text)).toEqual(['@work/CLAUDE.md', 'more', 'x @more.md']);
      expect(found().problems).toEqual([]);
    });
  });

  it('report a link that leads out of a trusted folder above the project', () => {
    const { root, found } = project({ 'a/project/x': '', 'private.txt': 'private' });
    symlinkSync('../private.txt', path.join(root, 'a/CLAUDE.md'));
    const places = { cwd: path.join(root, 'a/project'), top: path.join(root, 'a/project') };
    expect(found({ ...places, isTrusted: () => true }).problems).toEqual([
      `${path.join(root, 'a/CLAUDE.md')}: leads out of ${path.join(root, 'a')}, ignored.`,
    ]);
  });

  it('of the user may import any file', () => {
    const { root, found } = project({ 'elsewhere/team.md': 'team' });
    mkdirSync(path.join(root, 'home'));
    writeFileSync(path.join(root, 'home/CLAUDE.md'), `@${path.join(root, 'elsewhere/team.md')}`);
    expect(found().files.map(({ text }) => text)[0]).toBe('team');
  });

  it('with a list of paths apply only to matching files', () => {
    const { root, found } = project({
      'work/.claude/rules/api.md': '---\npaths: ["src/api/**", "src/{a,b}/*.ts"]\n---\nAPI rule',
      'work/.claude/rules/all.md': '---\ndescription: x\n---\nfor all',
    });
    const { files, byPath } = found();
    expect(files.map(({ text }) => text)).toEqual(['for all']);
    expect(byPath).toMatchObject([
      {
        text: 'API rule',
        paths: { base: path.join(root, 'work'), patterns: ['src/api/**', 'src/{a,b}/*.ts'] },
      },
    ]);
  });

  it('of a subfolder are found when a file there is read', () => {
    const { root, places, near } = project({
      'work/CLAUDE.md': 'top',
      'work/pkg/CLAUDE.md': 'pkg',
      'work/pkg/src/AGENTS.md': 'src',
      'work/pkg/src/a.ts': '',
    });
    const found = (file: string) => findNestedInstructions(path.join(root, file), places).files;
    expect(found('work/pkg/src/a.ts').map(({ file }) => near(file))).toEqual([
      'work/pkg/CLAUDE.md',
      'work/pkg/src/AGENTS.md',
    ]);
    expect(found('work/a.ts')).toEqual([]);
    expect(found('elsewhere/a.ts')).toEqual([]);
  });

  it('that are excluded by a setting are left out', () => {
    const { found } = project({ 'work/CLAUDE.md': 'x', 'work/AGENTS.md': 'y' });
    expect(found({ isExcluded: (file) => file.endsWith('AGENTS.md') }).files.map(({ text }) => text)).toEqual(
      ['x'],
    );
  });
});

describe('imports', () => {
  it.each([
    ['@a.md', ['a.md']],
    ['see @./docs/a.md, then (@b.md).', ['./docs/a.md', 'b.md']],
    ['@~/notes.md', ['~/notes.md']],
    ['@with\\ space.md', ['with space.md']],
    ['mail me@example.com', []],
    ['`@a.md` and ``@b.md``', []],
    ['```\n@a.md\n```\n@b.md', ['b.md']],
    ['~~~ts\n@a.md\n~~~', []],
    ['````\n```\n@a.md\n```\n````', []],
  ])('in %j are %j', (text, imports) => {
    expect(importsIn(text)).toEqual(imports);
  });

  it('are kept apart from comments, which are left out', () => {
    expect(withoutComments('a\n<!-- note\nmore -->\nb\n```\n<!-- code -->\n```\n')).toBe(
      'a\nb\n```\n<!-- code -->\n```\n',
    );
  });
});

describe('instruction files of a clone', () => {
  /** Far above the usual milliseconds, and far below what the same files take without limits. */
  const MOST_CPU_MS = 2_000;

  function cpuOf(work: () => void): number {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  }

  it('import up to 100 files', () => {
    const names = Array.from({ length: 300 }, (_, at) => `a${at}.md`);
    const all = names.map((name) => `@${name}`).join('\n');
    const { found, root } = project({
      'work/CLAUDE.md': all,
      ...Object.fromEntries(names.map((name) => [`work/${name}`, all])),
    });
    const { files, problems } = found();
    expect(files.length).toBe(101);
    expect(problems.at(-1)).toBe(
      `${root}/work/CLAUDE.md: only 100 imports and 2000 mentions with @ are followed, the rest is ignored.`,
    );
  });

  it('look up to 2,000 mentions', () => {
    const users = Array.from({ length: 5_000 }, (_, at) => `@u${at}`).join(' ');
    const { found } = project({ 'work/CLAUDE.md': users });
    expect(found().problems).toEqual([expect.stringContaining('2000 mentions')]);
  });

  it('have rules in up to 500 folders, and follow no link to a folder', () => {
    const { found, root } = project({
      ...Object.fromEntries(
        Array.from({ length: 600 }, (_, at) => [`work/.claude/rules/${at}/r.md`, `rule ${at}`]),
      ),
      'work/other/x.md': 'x',
    });
    symlinkSync(root, path.join(root, 'work/.claude/rules/0/link'));
    const { files, problems } = found();
    expect(files.length).toBe(499);
    expect(problems).toEqual([
      `${root}/work/.claude/rules: only 500 rules in 500 folders are read, the rest is ignored.`,
    ]);
  });

  it.each([
    ['empty lines', '\n'.repeat(40_000)],
    ['starts of code blocks', '```a\n'.repeat(8_000)],
    ['backticks', Array.from({ length: 280 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['signs behind a mention', `@${'.'.repeat(39_000)}x`],
    ['starts of comments', '<!--\n'.repeat(8_000)],
  ])('take little time with %s', (_, text) => {
    expect(cpuOf(() => importsIn(text))).toBeLessThan(MOST_CPU_MS);
    expect(cpuOf(() => withoutComments(text))).toBeLessThan(MOST_CPU_MS);
  });

  it.each([
    ['a\n\n```\n<!-- code -->\n```\n<!-- note -->\nb', 'a\n\n```\n<!-- code -->\n```\nb'],
    ['```\n<!-- note -->\nb', '```\nb'],
    ['<!-- a\n\n-->\nb\n<!-- c', 'b\n<!-- c'],
  ])('lose the comments of %j', (text, rest) => {
    expect(withoutComments(text)).toBe(rest);
  });
});
