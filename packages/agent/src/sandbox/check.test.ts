import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSandbox, sandboxInstallCommand } from './check.ts';

/** Creates a search path with the given scripts as programs. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-programs-'));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}
const onLinux = (scripts: Readonly<Record<string, string>>) =>
  checkSandbox({ platform: 'linux', searchPath: programs(scripts) });

describe('whether commands can be sandboxed here', () => {
  it('needs bubblewrap and socat, and says how to install them', async () => {
    expect(await onLinux({})).toMatchObject({
      available: false,
      reason: 'The sandbox needs bubblewrap and socat, which are not installed.',
      missing: ['bubblewrap', 'socat'],
      install: expect.stringContaining('bubblewrap socat'),
    });
    expect(await onLinux({ bwrap: 'exit 0' })).toMatchObject({ missing: ['socat'] });
  });

  it('is tried out: installed is not allowed', async () => {
    const refused = { bwrap: 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1', socat: '' };
    expect(await onLinux(refused)).toMatchObject({
      available: false,
      reason:
        'bubblewrap is installed but cannot make a sandbox here: bwrap: setting up uid map: Permission denied.',
      missing: [],
      install: expect.stringContaining('sysctl'),
    });
    expect(await onLinux({ bwrap: 'exit 0', socat: '' })).toMatchObject({ available: true });
  });

  it('is not so everywhere', async () => {
    expect(await checkSandbox({ platform: 'win32' })).toMatchObject({ available: false, install: undefined });
  });
});

describe('how to install', () => {
  it.each([
    ['ID=debian', 'sudo apt-get install bubblewrap socat'],
    ['ID=ubuntu\nID_LIKE=debian', 'sudo apt-get install bubblewrap socat'],
    ['NAME=Mint\nID=linuxmint\nID_LIKE="ubuntu debian"', 'sudo apt-get install bubblewrap socat'],
    ['ID=fedora', 'sudo dnf install bubblewrap socat'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install bubblewrap socat'],
    ['ID=arch', 'sudo pacman -S bubblewrap socat'],
    ['ID=alpine', 'sudo apk add bubblewrap socat'],
    ['ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"', 'sudo zypper install bubblewrap socat'],
    ['', 'install bubblewrap socat with your package manager'],
  ])('%j: %s', (release, command) => {
    expect(sandboxInstallCommand(['bubblewrap', 'socat'], release)).toBe(command);
  });
});
