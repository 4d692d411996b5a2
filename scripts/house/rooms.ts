// The order of the rooms inside a package: one may use those before it. So there are no circles, and a reader knows which
// comes first. See ARCHITECTURE.md.
import path from 'node:path';
import { importsOf } from './floors.ts';
import { type Finding, finding, isTest, type Source } from './source.ts';

/** Package folder → the folders of its sources, each below the next. Files beside them are below all, `index.ts` above. */
const order: Readonly<Record<string, readonly string[]>> = {
  core: ['messages', 'model', 'machine', 'request', 'tools', 'context', 'log', 'loop'],
  testing: [
    'samples',
    'validator',
    'scripted',
    'cache',
    'api',
    'providers',
    'deps',
    'properties',
    'explorer',
  ],
};

/** Tests look at what they test from anywhere. */
export function roomOrder(source: Source): Finding[] {
  const home = roomOf(source.path);
  if (home === undefined || isTest(source.path)) return [];
  return importsOf(source).flatMap(({ specifier, offset }) => {
    if (!specifier.startsWith('.')) return [];
    const target = roomOf(path.posix.join(path.posix.dirname(source.path), specifier));
    if (target === undefined || target.place <= home.place) return [];
    const advice = `${home.name} comes before ${target.name}: move what both need to the lower room`;
    return [finding(source, offset, 'room-order', advice)];
  });
}

function roomOf(file: string): { readonly name: string; readonly place: number } | undefined {
  const [, home = '', below = ''] = /^packages\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  const rooms = order[home];
  if (rooms === undefined) return undefined;
  const [name = '', ...rest] = below.split('/');
  if (rest.length === 0) return { name, place: name === 'index.ts' ? rooms.length : -1 };
  const place = rooms.indexOf(name);
  // A room that nobody has put in its place is above all: whoever uses it is told.
  return { name, place: place < 0 ? rooms.length : place };
}
