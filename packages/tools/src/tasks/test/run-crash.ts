/** Starts a command and crashes. Arguments: folder, command. */
import { TaskRegistry } from '../registry.ts';

const [folder = '', command = ''] = process.argv.slice(2);
const tasks = new TaskRegistry({ folder });
const begun = Promise.withResolvers<void>();
const environment = { PATH: process.env['PATH'] ?? '' };
await tasks.start({ command, directory: '/', environment }, () => begun.resolve());
await begun.promise;
process.kill(process.pid, 'SIGKILL');
