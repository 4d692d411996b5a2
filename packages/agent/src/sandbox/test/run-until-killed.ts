/** A program that runs a command in a sandbox and waits to be killed. */
import { createSandboxFixture } from './sandbox-fixture.ts';

const [base = '', project = '', home = ''] = process.argv.slice(2);
const { run } = createSandboxFixture({ at: { base, project, home } });
await run(`echo up; sleep 97531.${process.pid}`, { onOutput: () => void process.stdout.write('up\n') });
