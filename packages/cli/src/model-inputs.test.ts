/** Inputs as models really send them, in one run of the program: each is accepted, or rejected with a usable reason. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { call, say } from '@heddle/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

type Case = readonly [what: string, tool: string, input: JsonObject | string, result: RegExp];

const LINES = 'one\ntwo\nthree\nfour\n';
const NESTED = 'class A {\n    f() {\n        return 1;\n    }\n}\n';
const FILES = {
  'a.txt': LINES,
  'nested.ts': NESTED,
  'tabs.ts': 'class A {\r\n\tf() {\r\n\t\treturn 1;\r\n\t}\r\n}\r\n',
  'straight.md': 'She said "hello", it\'s fine.\n',
  'hidden.txt': 'zero\u200bwidth\n',
};

/** `text` is a whole input that was encoded twice. */
const INPUTS: readonly Case[] = [
  ['Grep with context', 'Grep', { pattern: 'two', context: 1, output_mode: 'content' }, /one[^]*three/],
  ['a number as text', 'Grep', { pattern: 'two', '-C': '1', output_mode: 'content' }, /one[^]*three/],
  ['a boolean as text', 'Grep', { pattern: 'TWO', '-i': 'True' }, /^a\.txt$/],
  ['a word in other case', 'Grep', { pattern: 'two', output_mode: 'Content' }, /a\.txt:2:two/],
  ['null for optional values', 'Grep', { pattern: 'two', path: null, head_limit: null }, /^a\.txt$/],
  ['empty text for optional values', 'Grep', { pattern: 'two', path: '', glob: '' }, /^a\.txt$/],
  ['a tool name in other case', 'gREP', { pattern: 'two' }, /^a\.txt$/],
  [
    'a number as text beside a field that does not exist',
    'Grep',
    { pattern: 'two', head_limit: '5', colour: 'red' },
    /invalid input\. input: Unrecognized key: "colour"</,
  ],
  ['Read from line 0', 'Read', { file_path: 'a.txt', offset: 0, limit: '1' }, /^ +1\tone\n/],
  ['empty text for numbers', 'Read', { file_path: 'a.txt', offset: '', limit: '' }, /4\tfour/],
  ['a field in camel case', 'Read', { filePath: 'a.txt' }, /4\tfour/],
  ['an input that was encoded twice', 'Read', '{"file_path":"a.txt"}', /4\tfour/],
  ['a path in the home folder', 'Read', { file_path: '~/home.txt' }, /1\tat home/],
  ['a search in the home folder', 'Grep', { pattern: 'at home', path: '~' }, /home\.txt/],
  ['a glob in the home folder', 'Glob', { pattern: '~/home.*' }, /home\.txt/],
  ['a new file in the home folder', 'Write', { file_path: '~/new.txt', content: 'x' }, /^Created .*new\.txt/],
  [
    'an edit in the home folder',
    'Edit',
    { file_path: '~/home.txt', old_string: 'at', new_string: 'At' },
    /^Edited/,
  ],
  [
    'a list as text',
    'TodoWrite',
    { todos: '[{"content":"a","status":"in-progress","activeForm":"A"}]' },
    /0 of 1 done/,
  ],
  ['a tool that is loaded on demand', 'TaskCreate', { subject: 's', description: 'd' }, /Task #2 created/],
  ['a number for an id', 'TaskUpdate', { taskId: '2', status: 'In_Progress' }, /2/],
  ['the list of tasks', 'tasklist', {}, /#2/],
  [
    'a field that is ignored',
    'ExitPlanMode',
    { plan: 'p', allowedPrompts: [{ tool: 'Bash', prompt: 'test' }] },
    /plan/,
  ],
  [
    'a block with other indentation',
    'Edit',
    { file_path: 'nested.ts', old_string: 'f() {\n    return 1;\n}', new_string: 'f() {\n    return 2;\n}' },
    /1 replacement, line 2\. old_string was indented differently/,
  ],
  [
    'a block with other indentation and line ends',
    'Edit',
    { file_path: 'tabs.ts', old_string: 'f() {\n\treturn 1;\n}', new_string: 'f() {\n\treturn 2;\n}' },
    /1 replacement, line 2\. old_string was indented differently/,
  ],
  [
    'a block with spaces instead of tabs',
    'Edit',
    {
      file_path: 'tabs.ts',
      old_string: '    f() {\n        return 2;\n    }',
      new_string: '    f() {\n        return 3;\n    }',
    },
    /1 replacement, line 2\. old_string was indented differently/,
  ],
  [
    'curly quotes',
    'Edit',
    { file_path: 'straight.md', old_string: 'said “hello”, it’s', new_string: 'said “bye”, it’s' },
    /own quotes and accents were matched/,
  ],
  [
    'text without an invisible character of the file',
    'Edit',
    { file_path: 'hidden.txt', old_string: 'zerowidth', new_string: 'x' },
    /invisible characters \(U\+200B in the file\)/,
  ],
  ['a binary file for Read', 'Read', { file_path: 'data.bin' }, /is a binary file .*works on text/],
  [
    'a binary file for Edit',
    'Edit',
    { file_path: 'data.bin', old_string: 'a', new_string: 'b' },
    /is a binary file, and this tool works on text/,
  ],
];

describe('an input of a model', () => {
  const makeProject = setUpProjects();
  const results = new Map<unknown, string>();
  let folder: string;

  beforeAll(async () => {
    const reads = Object.keys(FILES).map((name) => call('Read', { file_path: name }, `read-${name}`));
    const calls = INPUTS.map(([, tool, input], index) =>
      typeof input === 'string'
        ? call(tool, {}, `call-${index}`, { json: [JSON.stringify(input)] })
        : call(tool, input, `call-${index}`),
    );
    const project = await makeProject(FILES, [reads, calls, say('Done.')]);
    ({ folder } = project);
    writeFileSync(path.join(folder, 'data.bin'), Buffer.from([0, 1, 2, 255, 254, 0]));
    writeFileSync(path.join(folder, '../home.txt'), 'at home\n');
    const mode = ['--permission-mode', 'bypassPermissions'];
    const { stdout } = await project.run([
      '-p',
      'go',
      ...mode,
      '--output-format',
      'stream-json',
      '--verbose',
    ]);
    for (const line of linesOf(stdout)) for (const [id, text] of resultsOf(line)) results.set(id, text);
  });

  it.each(INPUTS.map(([what, tool, , result], index) => ({ what, tool, result, id: `call-${index}` })))(
    'may be $what ($tool)',
    ({ id, result }) => {
      expect(results.get(id)).toMatch(result);
    },
  );
});

function resultsOf({ type, message }: Readonly<Record<string, unknown>>): [unknown, string][] {
  if (type !== 'user') return [];
  const { content } = message as { content: readonly Readonly<Record<string, unknown>>[] };
  return content.map(({ tool_use_id, content: text }) => [
    tool_use_id,
    typeof text === 'string' ? text : JSON.stringify(text),
  ]);
}
