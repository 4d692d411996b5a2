import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@heddle/core';
import { sandboxSettings } from './sandbox-settings.ts';
import { validateSettings } from './validate-settings.ts';
import type { LoadedFile } from './scopes.ts';

function file(base: string, sandbox: JsonObject, trusted = true): LoadedFile {
  return {
    source: 'user',
    file: undefined,
    base,
    settings: { sandbox },
    counting: trusted ? { sandbox } : {},
  };
}
const read = (...files: readonly LoadedFile[]) => sandboxSettings({ files, problems: [] }, '/h/me');

describe('settings of the sandbox', () => {
  it('are off by default; once on, commands need no question and may be run outside on request', () => {
    expect(read()).toMatchObject({
      enabled: false,
      failIfUnavailable: false,
      autoAllowBashIfSandboxed: true,
      allowUnsandboxedCommands: true,
      readOnlyView: 'auto',
    });
  });

  it('are taken from the highest scope, lists from all', () => {
    const settings = read(
      file('/p', { enabled: true, excludedCommands: ['docker'] }),
      file('/h/me/.claude', {
        enabled: false,
        excludedCommands: ['podman', 'docker'],
        network: { allowedDomains: ['a.org'] },
      }),
    );
    expect(settings).toMatchObject({
      enabled: true,
      excludedCommands: ['docker', 'podman'],
      network: { allowedDomains: ['a.org'] },
    });
  });

  it('switch off the read-only view in a trusted file only', () => {
    expect(read(file('/p', { readOnlyView: 'off' })).readOnlyView).toBe('off');
    expect(read(file('/p', { readOnlyView: 'off' }, false)).readOnlyView).toBe('auto');
  });

  it('say nothing where the folder is not trusted', () => {
    expect(
      read(file('/p', { enabled: true, network: { allowedDomains: ['evil.org'] } }, false)),
    ).toMatchObject({
      enabled: false,
      network: { allowedDomains: [] },
    });
  });

  it('name paths from the root, from home, or from the folder of their file', () => {
    const { filesystem } = read(
      file('/p', { filesystem: { allowWrite: ['/abs', '//also', '~/mine', './here', 'there'] } }),
      file('/h/me/.claude', { filesystem: { allowWrite: ['own'] } }),
    );
    expect(filesystem.allowWrite).toEqual([
      '/abs',
      '/also',
      '/h/me/mine',
      '/p/here',
      '/p/there',
      '/h/me/.claude/own',
    ]);
  });

  it.each([
    [{ enabled: 'true' }, 'sandbox.enabled takes true or false, not "true". It is ignored.'],
    [
      { network: { allowedDomains: 'a.org' } },
      'sandbox.network.allowedDomains takes a list of texts, not "a.org". It is ignored.',
    ],
    [{ filesystem: [] }, 'sandbox.filesystem takes an object, not []. It is ignored.'],
    [{ readOnlyView: false }, 'sandbox.readOnlyView takes one of auto, off, not false. It is ignored.'],
  ])('that are malformed are reported, and other settings count: %j', (sandbox, message) => {
    const { settings, problems } = validateSettings({ model: 'm', sandbox });
    expect(problems).toEqual([{ path: expect.any(Array), message }]);
    expect(settings).toEqual({ model: 'm' });
  });

  it('that cannot be read grant nothing', () => {
    const permissions = { allow: ['Bash'], deny: ['Bash(rm *)'], defaultMode: 'acceptEdits' };
    const { settings, problems } = validateSettings({ sandbox: { enabled: 'yes' }, permissions, model: 'm' });
    expect(settings).toEqual({ permissions: { deny: ['Bash(rm *)'] }, model: 'm' });
    expect(problems.map(({ message }) => message)).toEqual([
      'sandbox.enabled takes true or false, not "yes". It is ignored.',
      expect.stringContaining('permissions.allow, permissions.defaultMode of this file are ignored too'),
    ]);
  });
});
