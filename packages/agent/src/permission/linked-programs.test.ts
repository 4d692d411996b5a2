/** Programs outside of the project that are links to its files. */
import { describe, expect, it } from 'vitest';
import { decideInFolder as decide } from './test/decide-in-folder.ts';

describe('a program that PATH finds as a link to a file of the project', () => {
  const table = {
    environment: { PATH: '/tools/bin:/usr/bin' },
    files: [
      '/tools/bin/jq',
      '/tools/bin/tree',
      '/usr/bin/wc',
      '/usr/bin/find',
      '/repo/project/evil/jq',
      '/opt/tree',
    ],
    links: { '/tools/bin/jq': '/repo/project/evil/jq', '/tools/bin/tree': '/opt/tree' },
  };

  it('asks in every mode and in other commands, because the project could change it', () => {
    const commands = [
      'jq . a.json',
      'find . -exec jq . {} +',
      'ls | xargs jq .',
      'env jq .',
      'timeout 5 jq .',
      'yq . a.yml',
    ];
    for (const command of commands)
      for (const view of [true, false]) {
        expect([command, decide(command, { table, view })]).toEqual([command, 'ask']);
        expect([command, decide(command, { table, view, mode: 'acceptEdits' })]).toEqual([command, 'ask']);
        expect([command, decide(command, { table, view, mode: 'plan' })]).toEqual([command, 'deny']);
      }
  });

  it('needs no question if the link leads elsewhere, or the user trusts the folder', () => {
    for (const command of ['tree -L 1', 'wc a', 'find . -exec wc {} +'])
      expect([command, decide(command, { table })]).toEqual([command, 'allow']);
    expect(decide('jq . a.json', { table, isTrusted: true })).toBe('allow');
  });
});
