/**
 * One folder for a whole test run. It contains shared results that are expensive to make, such as the bundled program, and all
 * temporary folders of tests, so that none of them is left behind. The database server of the run ends with it.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-tests-'));
  // As open as the system's own: some tests look through the eyes of another user.
  chmodSync(folder, 0o1777);
  process.env['HEDDLE_TEST_FOLDER'] = folder;
  process.env['TMPDIR'] = folder;
  // Tests start many processes from the same TypeScript sources. Each file is compiled once.
  process.env['NODE_COMPILE_CACHE'] = path.join(folder, 'compiled');
  return () => {
    stopServer(path.join(folder, 'postgres/data/postmaster.pid'));
    rmSync(folder, { recursive: true, force: true });
  };
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
