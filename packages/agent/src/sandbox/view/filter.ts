/**
 * Builds the system call filter of the read-only view, a seccomp program for bubblewrap. A read-only file system does
 * not stop a program from connecting to a socket on it. A shared process table does not stop it from sending signals.
 */

/**
 * The part of the machine that a command can see: only its own processes, or also those and the connections of the
 * host.
 */
export type ProcessScope = 'own' | 'host';

interface Architecture {
  /** AUDIT_ARCH of linux/audit.h. */
  readonly audit: number;
  /** Calls from this number on belong to a second table (x32). Undefined if there is none. */
  readonly otherTable: number | undefined;
  readonly socket: number;
  readonly socketpair: number;
  readonly prlimit: number;
  readonly fcntl: number;
  readonly ioctl: number;
  readonly clone: number;
  /**
   * - Namespaces and mounts. A new cgroup mount is writable, and ends or stops processes outside the view.
   * - Kernel keys, modules, clocks, quotas, traces and other administration.
   * - io_uring, which opens sockets without the call `socket`.
   * - File handles, with which root opens a file on another, writable mount of the same disk.
   */
  readonly never: readonly number[];
  /** Calls that affect other processes: signals, debuggers, priorities. */
  readonly otherProcesses: readonly number[];
  /** Calls that change modes, owners, times and attributes of files. The devices in a view are those of the machine. */
  readonly attributes: readonly number[];
}

/** The same numbers on every architecture. Mounts by descriptor: open_tree to fspick, mount_setattr. Also quotactl_fd. */
const NEVER_ANYWHERE: readonly number[] = [425, 428, 429, 430, 431, 432, 433, 442, 443];
/** clone3 passes its flags in memory, which a filter cannot read. Programs use clone if it does not exist. */
const CLONE3 = 435;
/** Newer calls than these were not reviewed. Programs use older ones if they do not exist. */
const FIRST_UNKNOWN_CALL = 463;

const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  [
    'x64',
    {
      audit: 0xc000_003e,
      otherTable: 0x4000_0000,
      socket: 41,
      socketpair: 53,
      prlimit: 302,
      fcntl: 72,
      ioctl: 16,
      clone: 56,
      never: [
        NEVER_ANYWHERE,
        // unshare, setns, mount, umount2, pivot_root, chroot
        [272, 308, 165, 166, 155, 161],
        // add_key, request_key, keyctl, name_to_handle_at, open_by_handle_at
        [248, 249, 250, 303, 304],
        // kexec, modules, reboot, swap, accounting, clocks, names, ports, quotas
        [246, 320, 175, 176, 313, 169, 167, 168, 163, 164, 227, 159, 305, 170, 171, 172, 173, 179],
        // bpf, perf_event_open, userfaultfd, syslog, fanotify_init, lookup_dcookie, vhangup, nfsservctl
        [321, 298, 323, 103, 300, 212, 153, 180],
      ].flat(),
      otherProcesses: [62, 101, 129, 141, 142, 144, 200, 203, 234, 251, 297, 311, 314, 424, 438, 440],
      // chmod and chown in all forms, utime to utimensat, setxattr and removexattr in all forms
      attributes: [90, 91, 92, 93, 94, 260, 268, 452, 132, 235, 261, 280, 188, 189, 190, 197, 198, 199],
    },
  ],
  [
    'arm64',
    {
      audit: 0xc000_00b7,
      otherTable: undefined,
      socket: 198,
      socketpair: 199,
      prlimit: 261,
      fcntl: 25,
      ioctl: 29,
      clone: 220,
      never: [
        NEVER_ANYWHERE,
        // unshare, setns, mount, umount2, pivot_root, chroot
        [97, 268, 40, 39, 41, 51],
        // add_key, request_key, keyctl, name_to_handle_at, open_by_handle_at
        [217, 218, 219, 264, 265],
        // kexec, modules, reboot, swap, accounting, clocks, names, quotas
        [104, 294, 105, 106, 273, 142, 224, 225, 89, 170, 112, 171, 266, 161, 162, 60],
        // bpf, perf_event_open, userfaultfd, syslog, fanotify_init, lookup_dcookie, vhangup, nfsservctl
        [280, 241, 282, 116, 262, 18, 58, 42],
      ].flat(),
      otherProcesses: [30, 117, 118, 119, 122, 129, 130, 131, 138, 140, 240, 271, 274, 424, 438, 440],
      attributes: [52, 53, 54, 55, 452, 88, 5, 6, 7, 14, 15, 16],
    },
  ],
]);

/** Socket families that a network namespace isolates. It does not isolate AF_UNIX and virtual machines. */
const FAMILIES: Readonly<Record<ProcessScope, readonly number[]>> = {
  // AF_INET, AF_INET6, AF_NETLINK: there is nothing to connect to.
  own: [2, 10, 16],
  // AF_NETLINK lists the connections of the host and, without capabilities, changes none.
  host: [16],
};

const AF_UNIX = 1;
/**
 * SOCK_STREAM and SOCK_SEQPACKET, each with any of SOCK_NONBLOCK and SOCK_CLOEXEC. A pair of these stays connected.
 * A socket of any other pair can send datagrams to each socket on disk.
 */
const PAIR_TYPES: readonly number[] = [1, 5].flatMap((type) =>
  [0, 0x800, 0x8_0000, 0x8_0800].map((flags) => type | flags),
);

const ALLOW = 0x7fff_0000;
const NOT_PERMITTED = 0x0005_0001;
/** ENOSYS. */
const DOES_NOT_EXIST = 0x0005_0026;
const KILL = 0x8000_0000;
const [LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
/** F_SETOWN, F_SETSIG and F_SETOWN_EX make the kernel send any signal to any process. */
const SIGNALING_FCNTL: readonly number[] = [8, 10, 15];
/** FIOSETOWN and SIOCSPGRP do the same for sockets. */
const SIGNALING_IOCTL: readonly number[] = [0x8901, 0x8902];
const INSTRUCTION_BYTES = 8;

/**
 * Only in a view for edits, commands may change modes and times. Returns undefined for an architecture whose system calls are not
 * listed here.
 */
export function callFilter(
  scope: ProcessScope,
  arch: string,
  view: 'read-only' | 'edits' = 'read-only',
): Buffer | undefined {
  const architecture = ARCHITECTURES.get(arch);
  if (architecture === undefined) return undefined;
  const { audit, otherTable, socket, socketpair, prlimit, fcntl, ioctl, clone } = architecture;
  const { never, otherProcesses, attributes } = architecture;
  const refused = [
    ...never,
    ...(scope === 'host' ? otherProcesses : []),
    ...(view === 'edits' ? [] : attributes),
  ];
  return assembled([
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    ...(otherTable === undefined ? [] : answering(IF_AT_LEAST, otherTable, NOT_PERMITTED)),
    ...answering(IF_AT_LEAST, FIRST_UNKNOWN_CALL, DOES_NOT_EXIST),
    ...answering(IF_EQUAL, CLONE3, DOES_NOT_EXIST),
    ...refused.flatMap((number) => answering(IF_EQUAL, number, NOT_PERMITTED)),
    ...(scope === 'host'
      ? [
          ...ifFirstArgument(prlimit, [0]),
          ...unlessSecondArgument(fcntl, SIGNALING_FCNTL),
          ...unlessSecondArgument(ioctl, SIGNALING_IOCTL),
        ]
      : []),
    ...unlessFlags(clone, NEW_NAMESPACES),
    ...ifFirstArgument(socket, FAMILIES[scope]),
    ...ifPair(socketpair),
    [RETURN, 0, 0, ALLOW],
  ]);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function answering(test: number, value: number, answer: number): Instruction[] {
  return [
    [test, 0, 1, value],
    [RETURN, 0, 0, answer],
  ];
}

/** Allows the call only with one of these first arguments. */
function ifFirstArgument(call: number, values: readonly number[]): Instruction[] {
  return byArgument(call, FIRST_ARGUMENT, { values, answer: ALLOW, otherwise: NOT_PERMITTED });
}

/** Allows the call unless it has one of these second arguments. */
function unlessSecondArgument(call: number, values: readonly number[]): Instruction[] {
  return byArgument(call, SECOND_ARGUMENT, { values, answer: NOT_PERMITTED, otherwise: ALLOW });
}

/** Allows the call unless its first argument has one of these bits. */
function unlessFlags(call: number, bits: number): Instruction[] {
  return [
    [IF_EQUAL, 0, 4, call],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...answering(IF_ANY_BIT, bits, NOT_PERMITTED),
    [RETURN, 0, 0, ALLOW],
  ];
}

/** Allows the call only for a pair of sockets that cannot reach a third one. */
function ifPair(call: number): Instruction[] {
  const check: Instruction[] = [
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [IF_EQUAL, 1, 0, AF_UNIX],
    [RETURN, 0, 0, NOT_PERMITTED],
    [LOAD, 0, 0, SECOND_ARGUMENT],
    ...PAIR_TYPES.flatMap((type) => answering(IF_EQUAL, type, ALLOW)),
    [RETURN, 0, 0, NOT_PERMITTED],
  ];
  return [[IF_EQUAL, 0, check.length, call], ...check];
}

interface Answers {
  readonly values: readonly number[];
  /** The result for one of the values. */
  readonly answer: number;
  readonly otherwise: number;
}

function byArgument(call: number, argument: number, { values, answer, otherwise }: Answers): Instruction[] {
  const check: Instruction[] = [
    [LOAD, 0, 0, argument],
    ...values.flatMap((value) => answering(IF_EQUAL, value, answer)),
    [RETURN, 0, 0, otherwise],
  ];
  return [[IF_EQUAL, 0, check.length, call], ...check];
}

function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  const writers = new DataView(bytes.buffer, bytes.byteOffset);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    writers.setUint16(at, code, true);
    writers.setUint8(at + 2, ifTrue);
    writers.setUint8(at + 3, ifFalse);
    writers.setUint32(at + 4, value, true);
  }
  return bytes;
}
