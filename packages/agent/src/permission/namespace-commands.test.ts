/** Programs that run a command in a namespace or as another user. Unlike a container, it has the files of this machine. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';

/** Each runs the command after it on this machine. */
const RUNNERS: readonly string[] = [
  'podman unshare',
  'podman unshare --',
  'podman unshare --rootless-netns',
  'podman --log-level debug unshare',
  'podman --log-level=debug unshare',
  'podman --remote unshare',
  'podman --root run unshare',
  '/usr/bin/podman unshare',
  'sudo podman unshare',
  'podman unshare env',
  'buildah unshare',
  'buildah unshare -m x=y',
  'buildah --debug unshare --',
  'unshare -Ur',
  'unshare --map-root-user --mount',
  'nsenter -t 1 -m',
  'nsenter --all --target 1 --',
  'rootlesskit --net=host',
  'pasta --',
  'run0',
  'run0 --user x',
  'sudo-rs -u x',
  'dzdo',
  'pfexec',
  'asdf env node',
  'setlock lock',
  's6-setsid',
];

const BESIDE_RM: Setting = {
  mode: 'bypassPermissions',
  rules: { allow: ['Bash'], deny: ['Bash(rm:*)', 'Read(./.env)'] },
};

describe('a runner that is not a container', () => {
  it.each(RUNNERS)('runs no denied command: %s', (runner) => {
    expect(shell(`${runner} rm -rf a`, BESIDE_RM).decision).toBe('deny');
    expect(shell(`${runner} sh -c "rm a"`, BESIDE_RM).decision).toBe('deny');
    expect(shell(`${runner} cat .env`, BESIDE_RM).decision).toBe('deny');
    expect(shell(`${runner} ls src`, BESIDE_RM).decision).toBe('allow');
  });

  it.each(RUNNERS)('asks about the removal of everything, in every mode: %s', (runner) => {
    expect(shell(`${runner} rm -rf /`, { mode: 'bypassPermissions' }).decision).toBe('ask');
  });

  it.each([
    'podman unshare',
    'echo "rm a" | podman unshare',
    'podman unshare <<< "rm a"',
    'buildah unshare < script',
    'run0 <<< "rm a"',
    'podman unshare $X',
  ])('is never allowed beside a deny rule if it may run any command: %s', (command) => {
    expect(shell(command, BESIDE_RM).decision).not.toBe('allow');
  });
});

describe('a container program', () => {
  it.each([
    'podman rm a',
    'podman images',
    'buildah rm a',
    'buildah build -t x .',
    'nerdctl rm a',
    'nerdctl push x',
  ])('needs no question beside a deny rule for other commands: %s', (command) => {
    expect(shell(command, BESIDE_RM).decision).toBe('allow');
  });

  it.each(['podman run x', 'podman run x unshare', 'buildah run x', 'nerdctl exec x'])(
    'removes only files of the container: %s',
    (runner) => {
      expect(shell(`${runner} rm -rf /`, { mode: 'bypassPermissions' }).decision).toBe('allow');
      expect(shell(`${runner} rm -rf a`, BESIDE_RM).decision).toBe('deny');
    },
  );
});
