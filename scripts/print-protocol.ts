// `npm run docs:protocol`: prints docs/protocol.md from the schemas of the messages.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { protocolPage } from './protocol/page.ts';

writeFileSync(path.join(path.dirname(import.meta.dirname), 'docs/protocol.md'), protocolPage());
console.log('docs/protocol.md');
