/** Commands that were proven to read, and permitted moves beside them, with the real shell. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readsInBackground } from '../files/edit-turns.ts';
import { scratch, shellIn } from './test/shell.ts';

function scene() {
  const project = scratch();
  mkdirSync(path.join(project, 'old'));
  return { project, shell: shellIn(project) };
}

describe('a move of a folder', () => {
  it('waits for a read of another call in the foreground', async () => {
    const { project, shell } = scene();
    const gate = path.join(project, 'gate');
    const read = shell.run(`until [ -e gate ]; do sleep 0.02; done; [ -d old ] && echo present`, {
      readOnlyRun: 'preferred',
      onProgress: () => undefined,
    });
    const move = shell.run('mv old new', { readOnlyRun: 'moves' });
    await shell.run('echo x > a.txt', { readOnlyRun: 'edits' });
    expect(existsSync(path.join(project, 'old'))).toBe(true);
    writeFileSync(gate, '');
    expect((await read).content).toBe('present');
    await move;
    expect(existsSync(path.join(project, 'new'))).toBe(true);
  });

  it('is known to run beside a read in the background, until that ends', async () => {
    const { project, shell } = scene();
    const command = 'until [ -e gate ]; do sleep 0.02; done; ls';
    await shell.run(command, { readOnlyRun: 'preferred', background: true });
    expect(readsInBackground([project])).toBe(true);
    expect(readsInBackground([scratch()])).toBe(false);
    writeFileSync(path.join(project, 'gate'), '');
    await expect.poll(() => readsInBackground([project])).toBe(false);
  });

  it.each(['sleep 600', 'sleep 600; echo done', 'date && sleep 10m'])(
    'does not wait for a command that opens nothing: %s',
    async (command) => {
      const { project, shell } = scene();
      await shell.run(command, { readOnlyRun: 'preferred', background: true });
      expect(readsInBackground([project])).toBe(false);
      for (const { id } of shell.tasks.list()) await shell.tasks.get(id)?.stop('the test ended');
    },
  );

  it.each([
    'sleep 600; ls',
    'sleep 600; cat a/../b',
    'sleep 600 & ls',
    'sleep $(cat x)0',
    'sleep 600; echo *',
  ])('counts a command that may open something: %s', async (command) => {
    const { project, shell } = scene();
    writeFileSync(path.join(project, 'x'), '60');
    await shell.run(command, { readOnlyRun: 'preferred', background: true });
    const [task] = shell.tasks.list();
    expect(task?.end !== undefined || readsInBackground([project])).toBe(true);
    await task?.stop('the test ended');
    await expect.poll(() => readsInBackground([project])).toBe(false);
  });
});
