/** Unknown commands and unknown prices through the program: no request is paid for, and no cost is invented. */
import { say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { setUpProjects } from './test/project.ts';

const makeProject = setUpProjects();

describe('words of other programs', () => {
  it.each([
    [['plugin', 'list'], /there is no command plugin; .* As a prompt: heddle -- "plugin list/],
    [['auth', 'login'], /there is no command auth; keys are read from the environment/],
    [['exec', 'hi'], /there is no command exec; heddle -p "…" answers one prompt/],
    [['setup-token'], /there is no command setup-token/],
  ])('are not sent to a model: %j', async (argv, reason) => {
    const project = await makeProject({}, [say('That was a prompt.')]);
    const { code, stderr } = await project.run(argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect(project.sent()).toEqual([]);
  });
});

it('shows an unknown cost as unknown on every surface, never as 0', async () => {
  const project = await makeProject({}, () => say('Hello.'));
  const answered = await project.run(['-p', 'x', '--output-format', 'json']);
  expect(JSON.parse(answered.stdout)).toMatchObject({
    total_cost_usd: null,
    modelUsage: { 'scripted-1': { costUSD: null, costBasis: 'unknown' } },
  });
  const { stdout } = await project.run(['--plain', '-c'], { input: 'hello\n/cost\n/quit\n' });
  expect(stdout).toMatch(/1 answer - .* - cost unknown/);
  expect(stdout).toContain('The cost of this session is unknown');
  const asked = await project.run(['-p', '/cost', '-c']);
  expect(asked.stdout).toMatch(/^The cost of this session is unknown/);
  expect(asked.stdout + stdout).not.toContain('$0');
});
