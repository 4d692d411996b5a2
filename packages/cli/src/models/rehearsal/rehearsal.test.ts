/** The rehearsal model in the real program: keywords of a prompt lead to calls, which need permission as usual. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../../test/home.ts';
import { install, type Installed, linesOf } from '../../test/program.ts';
import { SCENES } from './rehearsal.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

function home(): Home {
  const made = homeFor(installed.program);
  writeFileSync(path.join(made.folder, 'README.md'), '# A project\n');
  return made;
}

interface Played {
  readonly tools: readonly string[];
  readonly denied: readonly string[];
  readonly result: string;
}

async function play({ run }: Home, prompt: string, ...flags: readonly string[]): Promise<Played> {
  const argv = ['-p', prompt, '--model', 'rehearsal', '--output-format', 'stream-json', ...flags];
  const { stdout, stderr, code } = await run(argv);
  expect([code, stderr]).toEqual([0, '']);
  const lines = linesOf(stdout);
  const { result, permission_denials: denials } = lines.at(-1) ?? {};
  return {
    tools: [...stdout.matchAll(/"type":"tool_use","id":"[^"]*","name":"(\w+)"/g)].map(
      ([, name = '']) => name,
    ),
    denied: Array.isArray(denials)
      ? denials.map((denial: { tool_name?: unknown }) => String(denial.tool_name))
      : [],
    result: String(result),
  };
}

describe('the rehearsal model', () => {
  it('writes and changes a file, also if it exists from an earlier rehearsal', async () => {
    const scene = home();
    const file = path.join(scene.folder, 'heddle-rehearsal.txt');
    const accept = ['--permission-mode', 'acceptEdits'];
    expect((await play(scene, 'Please edit something', ...accept)).tools).toEqual(['Write', 'Edit']);
    expect(readFileSync(file, 'utf8')).toContain('A line that was changed.');
    expect(await play(scene, 'Edit it again', ...accept)).toMatchObject({
      tools: ['Write', 'Read', 'Write', 'Edit'],
      result: expect.stringContaining('is written and changed'),
    });
  });

  it('needs permission like every model, and accepts a denial', async () => {
    const scene = home();
    expect(await play(scene, 'edit')).toMatchObject({
      tools: ['Write'],
      denied: ['Write'],
      result: expect.stringContaining('That did not work: '),
    });
    expect(existsSync(path.join(scene.folder, 'heddle-rehearsal.txt'))).toBe(false);
    expect(await play(scene, 'run something')).toMatchObject({ tools: ['Bash', 'Bash'], denied: ['Bash'] });
    expect((await play(scene, 'run', '--allowed-tools', 'Bash(node *)')).result).toBe('It says: 42');
  });

  it.each([
    ['make a todo list', ['TodoWrite', 'TodoWrite', 'TodoWrite', 'TodoWrite'], 'All three steps are done.'],
    ['fetch a page', ['ToolSearch', 'WebFetch'], 'That did not work: '],
    ['ask me', ['ToolSearch', 'AskUserQuestion'], 'That did not work: '],
    ['make a plan', ['ToolSearch', 'EnterPlanMode', 'ExitPlanMode'], '## A plan to rehearse with'],
  ])('plays its scene if no user can be asked: %s', async (prompt, tools, result) => {
    expect(await play(home(), prompt)).toMatchObject({ tools, result: expect.stringContaining(result) });
  });

  it('reads the README without a keyword, lists its scenes, and does not read it twice', async () => {
    const scene = home();
    const first = await play(scene, 'What is in this folder?');
    expect(first.tools).toEqual(['Read']);
    for (const { word } of SCENES) expect(first.result).toContain(`- ${word}: `);
    const second = await play(scene, 'And now?', '--continue');
    expect(second.tools).toEqual([]);
    expect(second.result).toContain('prompt 2 has none of its keywords');
  });

  it('looks for keywords only in the first line, and ignores piped input', async () => {
    const ended = await home().run(['-p', 'What changed?', '--model', 'rehearsal'], {
      input: 'edit the file\nrun it\n',
    });
    expect(ended.stdout).toContain('I read the README.');
  });
});
