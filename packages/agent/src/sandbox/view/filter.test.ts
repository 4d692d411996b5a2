/** The filter is a program for the kernel: it is run here step by step, for processors that the tests do not run on. */
import { describe, expect, it } from 'vitest';
import { callFilter, type ProcessScope } from './filter.ts';

const EPERM = 0x0005_0001;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

interface Call {
  readonly number: number;
  readonly first?: number;
  readonly audit?: number;
}

function answer(
  arch: 'x64' | 'arm64',
  scope: ProcessScope,
  { number, first = 0, audit = AUDIT[arch] }: Call,
): number {
  const program = callFilter(scope, arch);
  if (!program) throw new Error('There is no filter.');
  const data: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: first };
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data[value] ?? -1;
    else at += 8 * program.readUInt8(at + ((code === 0x15 ? loaded === value : loaded >= value) ? 2 : 3));
  }
  throw new Error('The filter has no end.');
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
  },
};
const [UNIX, INET, INET6, NETLINK, VSOCK] = [1, 2, 10, 16, 40];

describe.each(['x64', 'arm64'] as const)('the system call filter for %s', (arch) => {
  const calls = CALLS[arch];

  it('lets programs read and use pipes', () => {
    for (const scope of ['own', 'host'] as const) {
      expect(answer(arch, scope, { number: calls.read })).toBe(ALLOW);
      expect(answer(arch, scope, { number: calls.socketpair, first: UNIX })).toBe(ALLOW);
    }
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

it('refuses the second table of calls on x64, and knows no other processor', () => {
  expect(answer('x64', 'own', { number: 0x4000_0029, first: UNIX })).toBe(EPERM);
  expect(callFilter('own', 'riscv64')).toBeUndefined();
});
