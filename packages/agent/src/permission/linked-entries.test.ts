/** A link in a folder behind another link, on a real disk: a command that removes or replaces it changes that folder, and not the target. */
import { describe, expect, it } from 'vitest';
import { diskProject } from './test/disk-project.ts';

const { decideCommand } = diskProject({
  folders: ['src', 'bin', 'nested/.git/hooks', 'a/.vscode', 'denied', '../out'],
  files: ['src/f', 'src/o', 'ev', 'ev2', 'nested/h', 'a/x.json', 'nested/.git/HEAD'],
  links: {
    o: '../out',
    '../out/back': '../project/src/f',
    '../out/new': '../project/missing',
    '../out/folder': '../project/src',
    g: 'nested/.git/hooks',
    'nested/.git/hooks/pre-commit': '../../h',
    b: 'bin',
    'bin/p': '../src/o',
    q: 'a/.vscode',
    'a/.vscode/settings.json': '../x.json',
    y: 'denied',
    'denied/l': '../src/f',
    s: 'src',
    'src/l': 'f',
  },
  programs: ['bin'],
});

describe('an entry behind a linked folder that is itself a link', () => {
  it.each([
    'rm o/back',
    'rm o/*',
    'rm o/{back,x}',
    'mv ev o/back',
    'mv ev o/new',
    'cp --remove-destination ev o/back',
    'rm -rf o/folder',
    'rm -f ./o//back',
    'cd s && rm ../o/back',
    'unlink o/back',
    'mv o/back ev3',
  ])('is not changed outside of the project without a question: %s', (command) => {
    expect(decideCommand(command)).toBe('ask');
  });

  it.each([
    'mv ev g/pre-commit',
    'rm g/pre-commit',
    'rm g/*',
    'mv ev b/p',
    'rm b/p',
    'mv ev q/settings.json',
  ])('is protected like the straight path: %s', (command) => expect(decideCommand(command)).toBe('ask'));

  it('is denied by a rule for its folder', () => {
    for (const command of ['rm y/l', 'mv ev y/l', 'rm denied/l', 'rm y/*'])
      expect(decideCommand(command, { deny: ['Edit(./denied/**)'] })).toBe('deny');
  });

  it('is ordinary in an ordinary folder', () => {
    for (const command of ['rm s/l', 'mv ev s/l', 'rm src/l', 'touch s/f', 'mv ev s/new'])
      expect(decideCommand(command)).toBe('allow');
  });
});
