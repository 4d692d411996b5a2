/** The names of a glob are those that the command gets, and the home folder of a script that sets HOME is unknown. */
import { readCommand } from '@heddle/tools/shell';
import { describe, expect, it } from 'vitest';
import { ROOT, worldOf } from '../test/world.ts';
import { namesFoundBy, possibleValues } from './possible-values.ts';
import { NO_VARIABLES } from './shell-state.ts';

const world = worldOf({ files: [`${ROOT}/d/a`, `${ROOT}/d/b`] });
const scope = { variables: NO_VARIABLES, folders: [ROOT], world };

describe('the names that a glob finds', () => {
  it.each([
    ['d/*', ['d/a', 'd/b']],
    ['*/a', ['d/a']],
    ['*/', ['d/']],
    ['*/.', ['d/.']],
    ['*/./', ['d/./']],
    ['*/.//a', ['d/./a']],
    ['./*/a', ['./d/a']],
  ])('have the dots and slashes of the glob: %s', (glob, names) => {
    expect(namesFoundBy(glob, scope)).toEqual(names);
  });
});

describe('the home folder', () => {
  it.each([false, true])('is unknown if the script may set HOME: %s', (changesHome) => {
    const read = readCommand('ls "$HOME"/a');
    const word = read.ok ? read.commands[0]?.args[0] : undefined;
    const values = word && possibleValues(word, { ...scope, world: { ...world, changesHome } });
    expect(values).toEqual(changesHome ? undefined : [{ text: `${world.home}/a`, isGlob: false }]);
  });
});
