import { describe, expect, it } from 'vitest';
import type { Rules } from '../../permission/rules/rule.ts';
import { sandboxSettings, type SandboxSettings } from '../../settings/sandbox-settings.ts';
import type { PolicyInput } from './ground.ts';
import { computePolicy } from './policy.ts';

interface Table {
  /** Paths that exist; those that end in a slash are folders. */
  readonly disk?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly settings?: Partial<SandboxSettings>;
  readonly rules?: Partial<Record<keyof Rules, readonly string[]>>;
  readonly directories?: readonly string[];
  readonly repository?: PolicyInput['repository'];
  readonly namedByGit?: PolicyInput['namedByGit'];
}

const USUAL = sandboxSettings({ files: [], problems: [] }, '/h/me');

function policyFor({ disk = ['/p/'], links = {}, settings = {}, rules = {}, ...more }: Table = {}) {
  const list = (name: keyof Rules) =>
    (rules[name] ?? []).map((text) => ({ text, source: 'user' as const, base: '/h/me/.claude' }));
  return computePolicy({
    root: '/p',
    directories: more.directories ?? [],
    home: '/h/me',
    configDirs: ['/h/me/.claude', '/h/me/.heddle'],
    temp: '/tmp/own',
    rules: { deny: list('deny'), ask: list('ask'), allow: list('allow') },
    settings: { ...USUAL, ...settings },
    repository: more.repository,
    namedByGit: more.namedByGit ?? [],
    programs: [],
    foldsCase: false,
    realpath: (file) => links[file] ?? file,
    kindOf: (file) => (disk.includes(`${file}/`) ? 'folder' : disk.includes(file) ? 'file' : 'absent'),
  });
}

const filesystem = (lists: Partial<SandboxSettings['filesystem']>) => ({
  filesystem: { ...USUAL.filesystem, ...lists },
});

describe('what may be written', () => {
  it('is the project, the other working directories, and a temporary folder of its own', () => {
    expect(policyFor({ directories: ['/more'] }).writable).toEqual(['/p', '/more', '/tmp/own']);
  });

  it('is what settings and Edit rules open, where they name a place in full', () => {
    const rules = {
      allow: [
        'Edit(//data/**)',
        'Edit(~/notes/a.md)',
        'Edit(src/**)',
        'Edit(*.md)',
        'Edit',
        'Read(//other/**)',
      ],
    };
    const { writable } = policyFor({ rules, settings: filesystem({ allowWrite: ['/cache'] }) });
    expect(writable).toEqual(['/p', '/cache', '/data', '/h/me/notes/a.md', '/tmp/own']);
  });

  it('is what a link leads to, unless a command could have put the link there', () => {
    const links = { '/link': '/real', '/p/own': '/etc', '/q': '/p/sub', '/q/own': '/etc' };
    const policy = policyFor({
      links,
      directories: ['/link', '/p/own', '/q/own'],
      settings: filesystem({ denyWrite: ['/link/locked'] }),
    });
    expect(policy.writable).toEqual(['/p', '/real', '/tmp/own']);
    expect(policy.unwritable).toEqual(
      expect.arrayContaining(['/real/.claude', '/real/.git', '/real/locked']),
    );
  });

  it('is what git keeps, where that is outside of the project', () => {
    const policy = policyFor({ repository: { folder: '/repo/.git', worktree: undefined } });
    expect(policy.writable).toContain('/repo/.git');
    expect(policy.unwritable).toEqual(expect.arrayContaining(['/repo/.git/hooks', '/repo/.git/config']));
  });
});

describe('what may never be written', () => {
  it('is the hooks and settings of a repository', () => {
    expect(policyFor({ disk: ['/p/', '/p/.git/', '/p/.git/HEAD'] }).unwritable).toEqual(
      expect.arrayContaining(['/p/.git/hooks', '/p/.git/config']),
    );
  });

  it('is a repository that does not exist yet, and a file that points to one', () => {
    expect(policyFor().unwritable).toContain('/p/.git');
    expect(policyFor({ disk: ['/p/', '/p/.git/'] }).unwritable).toContain('/p/.git');
    expect(policyFor({ disk: ['/p/', '/p/.git'] }).unwritable).toContain('/p/.git');
  });

  it('is what the agent is told by, in every folder that may be written, existing or not', () => {
    const { unwritable } = policyFor({ directories: ['/more'], disk: ['/p/', '/p/.claude/', '/more/'] });
    expect(unwritable).toEqual(
      expect.arrayContaining([
        '/p/.claude',
        '/p/.heddle',
        '/p/.mcp.json',
        '/more/.claude',
        '/more/.mcp.json',
      ]),
    );
  });

  it('includes protected places that exist, and leaves to package managers what they write', () => {
    const disk = ['/p/', '/p/.husky/', '/p/.npmrc', '/p/.yarn/', '/p/.hg/', '/p/.cursor/', '/p/.envrc'];
    const { unwritable } = policyFor({ disk });
    expect(unwritable).toEqual(
      expect.arrayContaining(['/p/.husky', '/p/.npmrc', '/p/.hg/hgrc', '/p/.cursor', '/p/.envrc']),
    );
    for (const free of ['/p/.yarn', '/p/.hg', '/p/.vscode', '/p/.codex'])
      expect(unwritable).not.toContain(free);
  });

  it('is the home folder’s start-up files and the agent’s own folders, where home may be written', () => {
    expect(policyFor({ settings: filesystem({ allowWrite: ['/h/me'] }) }).unwritable).toEqual(
      expect.arrayContaining([
        '/h/me/.bashrc',
        '/h/me/.zshenv',
        '/h/me/.ssh',
        '/h/me/.claude',
        '/h/me/.heddle',
      ]),
    );
    expect(policyFor().unwritable.filter((path) => path.startsWith('/h/'))).toEqual([]);
  });

  it('is the agent’s own folder inside the project, under whatever name', () => {
    const settings = filesystem({ denyWrite: [] });
    expect(policyFor({ settings, links: { '/h/me/.heddle': '/p/state' } }).unwritable).toContain(
      '/h/me/.heddle',
    );
  });

  it('is what settings and deny rules for Edit and Read name, at the top and at any depth', () => {
    const policy = policyFor({
      rules: { deny: ['Edit(locked/**)', 'Edit(./one.txt)', 'Read(.env)', 'Edit(*.pem)', 'Edit(/x)'] },
      settings: filesystem({ denyWrite: ['/p/dist'] }),
    });
    expect(policy.unwritable).toEqual(
      expect.arrayContaining(['/p/dist', '/p/locked', '/p/one.txt', '/p/.env']),
    );
    expect(policy.unwritable).not.toContain('/h/me/.claude/x');
    const like = (file: string): boolean => policy.unwritableLike.some(({ matches }) => matches(file));
    expect(['/p/a/key.pem', '/p/a/.env', '/p/a/locked/b', '/p/free'].map(like)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is nothing in a file that was opened alone', () => {
    const { unwritable } = policyFor({
      disk: ['/p/', '/data/file'],
      settings: filesystem({ allowWrite: ['/data/file'] }),
    });
    expect(unwritable.filter((path) => path.startsWith('/data'))).toEqual([]);
  });
});

describe('what may not be read', () => {
  it('is what settings and deny rules for Read name; deny rules for Edit hide nothing', () => {
    const { unreadable, readable } = policyFor({
      rules: { deny: ['Read(~/.ssh/**)', 'Read(.env)', 'Edit(src/**)'] },
      settings: filesystem({ denyRead: ['/secrets'], allowRead: ['/secrets/open'] }),
    });
    expect(unreadable).toEqual(['/secrets', '/h/me/.ssh', '/p/**/.env']);
    expect(readable).toEqual(['/secrets/open']);
  });
});

describe('hosts', () => {
  it('come from settings and from rules for WebFetch; what no sandbox can keep is left to the question', () => {
    const policy = policyFor({
      rules: {
        allow: [
          'WebFetch(domain:Docs.example.com)',
          'WebFetch(domain:*.example.org)',
          'WebFetch(domain:a*b.com)',
          'WebFetch',
        ],
        deny: ['WebFetch(domain:evil.example.com)'],
      },
      settings: {
        network: {
          ...USUAL.network,
          allowedDomains: ['npmjs.org'],
          deniedDomains: ['X.org.', '*.bücher.de'],
        },
      },
    });
    expect(policy.allowedDomains).toEqual(['npmjs.org', 'docs.example.com', '*.example.org']);
    expect(policy.deniedDomains).toEqual(['x.org', '*.xn--bcher-kva.de', 'evil.example.com']);
  });
});
