/** The answer "always" of a host: what it covers afterwards, and what it stores. Through the program. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { call, say } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { expect, it } from 'vitest';
import { linesOf, type OutputLine } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const HOST = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const PROMPT = { type: 'user', message: { role: 'user', content: 'go' } };

/**
 * Runs the calls one after the other. The host answers each question with the rules that it offers, or with no if there are
 * none, or always with no.
 */
async function questionsAbout(
  calls: readonly (readonly [tool: string, input: Record<string, string>])[],
  answer: 'always' | 'no' = 'always',
) {
  const script = calls.map(([tool, input], at) => [call(tool, input, `c${at}`)]);
  const { run, folder } = await project({}, [...script, [say('Done.')]]);
  const config = JSON.stringify({ mcpServers: { srv: testServer('srv'), other: testServer('other') } });
  const asked: OutputLine[] = [];
  const answered = new Set<unknown>();
  const write = (to: { write: (text: string) => unknown } | null, line: object): void => {
    to?.write(`${JSON.stringify(line)}\n`);
  };
  let isEnded = false;
  await run([...HOST, '--permission-prompt-tool', 'stdio', '--mcp-config', config], {
    input: null,
    onStart: ({ stdin }) => write(stdin, PROMPT),
    onOutput: (stdout, { stdin }) => {
      for (const { type, request_id: id, request } of linesOf(stdout)) {
        if (type === 'result' && !isEnded) {
          isEnded = true;
          stdin?.end();
        }
        if (type !== 'control_request' || !isRecord(request) || answered.has(id)) continue;
        answered.add(id);
        asked.push(request);
        const offered = request['permission_suggestions'];
        const response =
          answer === 'always' && Array.isArray(offered) && offered.length > 0
            ? { behavior: 'allow', updatedPermissions: offered }
            : { behavior: 'deny', message: 'No.' };
        write(stdin, {
          type: 'control_response',
          response: { subtype: 'success', request_id: id, response },
        });
      }
    },
  });
  return { folder, asked: asked.map(({ input, permission_suggestions: offered }) => ({ input, offered })) };
}

it('for a resource of a server is a rule for this resource', async () => {
  const search = ['ToolSearch', { query: 'select:ReadMcpResourceTool' }] as const;
  const read = (server: string, uri: string) => ['ReadMcpResourceTool', { server, uri }] as const;
  const notes = read('srv', 'test://notes/1');
  const { asked, folder } = await questionsAbout([search, notes, notes, read('other', 'test://notes/1')]);
  expect(asked.map(({ input }) => input)).toEqual([notes[1], { server: 'other', uri: 'test://notes/1' }]);
  expect(readFileSync(path.join(folder, '.claude/settings.local.json'), 'utf8')).toContain(
    '"ReadMcpResourceTool(srv test://notes/1)"',
  );
});

it('for a file in the home folder is a rule for this file', async () => {
  const write = (file_path: string) => ['Write', { file_path, content: 'x' }] as const;
  const { asked, folder } = await questionsAbout([write('~/zz.txt'), write('~/zz.txt'), write('~/yy.txt')]);
  expect(asked).toHaveLength(2);
  expect(asked[0]?.offered).toEqual([
    {
      type: 'addRules',
      rules: [{ toolName: 'Edit', ruleContent: `/${path.join(folder, '../zz.txt')}` }],
      behavior: 'allow',
      destination: 'session',
    },
  ]);
  expect(existsSync(path.join(folder, '../zz.txt'))).toBe(true);
});

it('for a file in a folder of the system is a rule for this file', async () => {
  const file = '/etc/heddle-test/zz.txt';
  const { asked } = await questionsAbout([['Write', { file_path: file, content: 'x' }]], 'no');
  const rules = [{ toolName: 'Edit', ruleContent: `/${file}` }];
  expect(asked.map(({ offered }) => offered)).toEqual([
    [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
  ]);
  expect(existsSync(file)).toBe(false);
});

it('is not offered for words or code that come through a pipe', async () => {
  const commands = [
    'echo stash | xargs git',
    'echo test | xargs make',
    'echo lint | xargs npm run',
    'echo "print(1)" | python3 manage.py shell',
    'python3 manage.py shell <<< "print(1)"',
  ];
  const { asked, folder } = await questionsAbout(commands.map((command) => ['Bash', { command }]));
  expect(asked).toHaveLength(commands.length);
  expect(asked.map(({ offered }) => offered)).toEqual(commands.map(() => undefined));
  expect(existsSync(path.join(folder, '.claude/settings.local.json'))).toBe(false);
});

it('is not offered for a job at any time', async () => {
  const search = ['ToolSearch', { query: 'select:CronCreate' }] as const;
  const { asked } = await questionsAbout([search, ['CronCreate', { cron: '5 4 * * *', prompt: 'x' }]]);
  expect(asked.map(({ offered }) => offered)).toEqual([undefined]);
});
