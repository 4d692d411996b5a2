/** Opens a new session, says so, and keeps it open until it is killed. */
import { newSession } from '../open/open.ts';
import { sessionOf, user } from './session-home.ts';

const [folder = '', id = ''] = process.argv.slice(2);
const place = { configDir: `${folder}/config`, cwd: folder };
const session = sessionOf(newSession({ place, version: 'test', durability: 'process', now: () => 0 }, id));
session.journal.append(user('u1'));
process.stdout.write('open\n');
setInterval(() => undefined, 2 ** 30);
