// `npm run check`: every check runs, also after one has failed, so that one run shows every problem.
import { spawnSync } from 'node:child_process';

const checks = ['types', 'lint', 'format', 'dead', 'rules'];

const failed = checks.filter((check) => {
  console.log(`\n— ${check}`);
  return spawnSync('npm', ['run', '--silent', `check:${check}`], { stdio: 'inherit' }).status !== 0;
});

console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
