/**
 * Time limits of tests, the same for all.
 *
 * A limit ends a test that hangs. A calm machine stays far below it, so that a machine with many other processes does too.
 */

/** One event that a test waits for: a line on a screen, a file, a process. */
export const EVENT_DEADLINE_MS = 90_000;

/** The end of aborted work. Users are promised a tenth of it, and the work itself would take minutes. */
export const ABORT_DEADLINE_MS = 20_000;

/** A whole test, with several events. */
export const TEST_DEADLINE_MS = 3 * 60_000;

/** A proof with its full count. The longest takes half an hour on a calm machine. */
export const PROOF_DEADLINE_MS = 4 * 60 * 60_000;

/** The preparation of a file of tests. The first file that needs the bundled program builds it. */
export const HOOK_DEADLINE_MS = 5 * 60_000;

/** The processor time that work takes in this process, in milliseconds. Other processes do not change it. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
