/** A member of a team in a process of its own: HOME NAME. */
import { runTestMember } from './team-home.ts';

const [, , home = '', name = ''] = process.argv;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.stdout.write(await runTestMember(home, name, stop.signal));
