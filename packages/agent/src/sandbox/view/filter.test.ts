/** The filter is a program for the kernel: it is run here step by step, for processors that the tests do not run on. */
import { describe, expect, it } from 'vitest';
import { callFilter, type ProcessScope } from './filter.ts';

const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

interface Call {
  readonly number: number;
  readonly first?: number;
  readonly second?: number;
  readonly audit?: number;
  readonly view?: 'read-only' | 'edits';
}

function answer(
  arch: 'x64' | 'arm64',
  scope: ProcessScope,
  { number, first = 0, second = 0, audit = AUDIT[arch], view = 'read-only' }: Call,
): number {
  const program = callFilter(scope, arch, view);
  if (!program) throw new Error('There is no filter.');
  const data: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: first, 24: second };
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data[value] ?? -1;
    else at += 8 * program.readUInt8(at + (isTrue(code, loaded, value) ? 2 : 3));
  }
  throw new Error('The filter has no end.');
}

function isTrue(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value;
  return code === 0x45 ? (loaded & value) !== 0 : loaded >= value;
}

const CALLS = {
  x64: {
    read: 0,
    socket: 41,
    socketpair: 53,
    kill: 62,
    prlimit64: 302,
    io_uring_setup: 425,
    keyctl: 250,
    tgkill: 234,
    clone: 56,
    unshare: 272,
    setns: 308,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    bpf: 321,
  },
  arm64: {
    read: 63,
    socket: 198,
    socketpair: 199,
    kill: 129,
    prlimit64: 261,
    io_uring_setup: 425,
    keyctl: 219,
    tgkill: 131,
    clone: 220,
    unshare: 97,
    setns: 268,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    bpf: 280,
  },
};
const [UNIX, INET, INET6, NETLINK, TIPC, VSOCK] = [1, 2, 10, 16, 30, 40];
/** SOCK_NONBLOCK and SOCK_CLOEXEC. */
const FLAGS = [0, 0x800, 0x8_0000, 0x8_0800];
/** SOCK_STREAM and SOCK_SEQPACKET. */
const PAIRS = [1, 5].flatMap((type) => FLAGS.map((flags) => type | flags));

describe.each(['x64', 'arm64'] as const)('the system call filter for %s', (arch) => {
  const calls = CALLS[arch];

  it('lets programs read and use pipes', () => {
    for (const scope of ['own', 'host'] as const) {
      expect(answer(arch, scope, { number: calls.read })).toBe(ALLOW);
      for (const second of PAIRS)
        expect(answer(arch, scope, { number: calls.socketpair, first: UNIX, second })).toBe(ALLOW);
    }
  });

  it('refuses to change modes, owners, times and attributes, except for edits', () => {
    const numbers = { x64: [90, 92, 132, 188, 199, 268, 280, 452], arm64: [5, 16, 52, 53, 54, 88, 452] }[
      arch
    ];
    for (const scope of ['own', 'host'] as const)
      for (const number of numbers) {
        expect(answer(arch, scope, { number })).toBe(EPERM);
        expect(answer(arch, scope, { number, view: 'edits' })).toBe(ALLOW);
      }
  });

  it('refuses pairs of sockets that can send to a third one', () => {
    const pair = (first: number, second: number): number =>
      answer(arch, 'own', { number: calls.socketpair, first, second });
    // SOCK_DGRAM, SOCK_RAW (which becomes a datagram socket), SOCK_RDM and types that do not exist
    for (const type of [0, 2, 3, 4, 6, 10, 15])
      for (const flags of FLAGS) expect(pair(UNIX, type | flags)).toBe(EPERM);
    for (const family of [0, INET, INET6, NETLINK, TIPC, VSOCK])
      for (const type of PAIRS) expect(pair(family, type)).toBe(EPERM);
  });

  it('refuses sockets that a network namespace does not isolate', () => {
    for (const first of [UNIX, VSOCK])
      expect(answer(arch, 'own', { number: calls.socket, first })).toBe(EPERM);
    for (const first of [INET, INET6, NETLINK])
      expect(answer(arch, 'own', { number: calls.socket, first })).toBe(ALLOW);
  });

  it('refuses what reaches other processes and hosts if the command sees those of the machine', () => {
    for (const first of [UNIX, INET, INET6, VSOCK])
      expect(answer(arch, 'host', { number: calls.socket, first })).toBe(EPERM);
    expect(answer(arch, 'host', { number: calls.socket, first: NETLINK })).toBe(ALLOW);
    for (const number of [calls.kill, calls.tgkill]) {
      expect(answer(arch, 'host', { number })).toBe(EPERM);
      expect(answer(arch, 'own', { number })).toBe(ALLOW);
    }
    expect(answer(arch, 'host', { number: calls.prlimit64, first: 0 })).toBe(ALLOW);
    expect(answer(arch, 'host', { number: calls.prlimit64, first: 1 })).toBe(EPERM);
  });

  it('refuses other ways to the same ends', () => {
    for (const scope of ['own', 'host'] as const) {
      for (const number of [calls.io_uring_setup, calls.keyctl])
        expect(answer(arch, scope, { number })).toBe(EPERM);
      expect(answer(arch, scope, { number: calls.read, audit: 0x4000_0003 })).toBe(KILL);
    }
  });
});

describe.each(['x64', 'arm64'] as const)('namespaces and mounts on %s', (arch) => {
  const { clone, unshare, setns, mount, umount2, pivot_root, bpf } = CALLS[arch];
  const [SIGCHLD, THREAD] = [17, 0x003d_0f00];

  it('are refused, by every call that makes or changes one', () => {
    // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
    const byDescriptor = [428, 429, 430, 431, 432, 433, 442];
    for (const scope of ['own', 'host'] as const)
      for (const number of [unshare, setns, mount, umount2, pivot_root, bpf, ...byDescriptor])
        expect(answer(arch, scope, { number })).toBe(EPERM);
  });

  it('are refused as flags of clone, which still starts processes and threads', () => {
    for (const first of [SIGCHLD, THREAD]) expect(answer(arch, 'own', { number: clone, first })).toBe(ALLOW);
    for (const bit of [17, 25, 26, 27, 28, 29, 30])
      expect(answer(arch, 'own', { number: clone, first: SIGCHLD | (1 << bit) })).toBe(EPERM);
  });

  it('are not possible by clone3 and by calls that were not reviewed: they do not exist', () => {
    for (const number of [435, 463, 467, 500]) expect(answer(arch, 'own', { number })).toBe(ENOSYS);
  });
});

it('refuses the second table of calls on x64, and knows no other processor', () => {
  expect(answer('x64', 'own', { number: 0x4000_0029, first: UNIX })).toBe(EPERM);
  expect(callFilter('own', 'riscv64')).toBeUndefined();
});
