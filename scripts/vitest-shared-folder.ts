/**
 * One folder for a whole test run. It contains shared results that are expensive to make, such as the bundled program, and all
 * temporary folders of tests, so that none of them is left behind. The database server of the run ends with it.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export function setup(): () => Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-tests-'));
  // As open as the system's own: some tests look through the eyes of another user.
  chmodSync(folder, 0o1777);
  process.env['HEDDLE_TEST_FOLDER'] = folder;
  process.env['TMPDIR'] = folder;
  // Tests start many processes from the same TypeScript sources. Each file is compiled once.
  process.env['NODE_COMPILE_CACHE'] = path.join(folder, 'compiled');
  return async () => {
    stopServer(path.join(folder, 'postgres/data/postmaster.pid'));
    await remove(folder);
  };
}

/**
 * Removes the folder with a program for each core, a fifth of the time of `rmSync`. Vitest would report its workers as lost
 * while this process is busy. A server that is still ending may write a file meanwhile, so the rest is removed last.
 */
async function remove(folder: string): Promise<void> {
  const entries = readdirSync(folder).map((name) => path.join(folder, name));
  const count = os.availableParallelism();
  const shares = Array.from({ length: count }, (_, share) => entries.filter((_, at) => at % count === share));
  await Promise.allSettled(shares.map((share) => promisify(execFile)('rm', ['-rf', '--', ...share])));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Tests of the fleet start one server that survives their processes. Its data is removed with the folder. */
function stopServer(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It has ended already.
  }
}
