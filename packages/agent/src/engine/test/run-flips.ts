/**
 * Swaps what a name means, as fast as it can, until it is killed.
 * - `link NAME ONE OTHER`: NAME is a link, to ONE and to OTHER in turn.
 * - `folder NAME OTHER`: NAME is a folder, and in turn a link to OTHER.
 */
import { renameSync, rmSync, symlinkSync } from 'node:fs';

const [kind, name = '', one = '', other = ''] = process.argv.slice(2);
const aside = `${name}.aside`;

function flipLink(): void {
  for (const target of [other, one]) {
    symlinkSync(target, aside);
    renameSync(aside, name);
  }
}

function flipFolder(): void {
  const link = `${name}.link`;
  renameSync(name, aside);
  put(link, name);
  renameSync(name, link);
  put(aside, name);
}

/** A call may have made a folder of that name in the moment without one. */
function put(from: string, to: string): void {
  for (;;) {
    try {
      return renameSync(from, to);
    } catch {
      clear(to);
    }
  }
}

function clear(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Filled again meanwhile: the next try follows.
  }
}

if (kind === 'folder') symlinkSync(one, `${name}.link`);
const flip = kind === 'folder' ? flipFolder : flipLink;
process.stdout.write('flipping\n');
for (;;) {
  // An odd number of pauses between flips, so that they do not fall into step with what is tried.
  for (let times = 0; times < 1_000; times += 1) {
    flip();
    for (let wait = Math.random() * 2_000; wait > 0; wait -= 1);
  }
}
