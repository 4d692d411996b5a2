/** Every built-in tool, run for real: its `tool_use_result` has the shape that hosts of the SDK protocol read. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { answer, call, foreignBlock, say, scriptedModel } from '@heddle/testing';
import { pdfOf } from '@heddle/testing/samples';
import { builtinTools, builtinToolSet } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { hostResult } from './tool-results.ts';

type Call = readonly [tool: string, input: JsonObject];
type Row = readonly [title: string, calls: readonly Call[], expected: unknown];

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'code', id: 'a1', metadata: {}, execution_count: null, outputs: [], source: ['x = 1'] },
  ],
});
const QUESTION = {
  question: 'Tea?',
  header: 'Drink',
  options: [
    { label: 'Yes', description: 'With milk.' },
    { label: 'No', description: 'Water.' },
  ],
};
const LONG = 'a line of text\n'.repeat(3_000);

const FILES: Readonly<Record<string, string | Buffer>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'long.txt': LONG,
  'dot.png': Buffer.from(PNG, 'base64'),
  'book.ipynb': NOTEBOOK,
  'page.pdf': pdfOf(['Hello from a page.']),
};

const searching = scriptedModel([
  answer(
    foreignBlock({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } }),
    foreignBlock({
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: 'x' }],
    }),
    say('A is a page.'),
  ),
]);

/** Runs the calls one after another and returns the `tool_use_result` of each. */
async function resultsOf(calls: readonly Call[], folder: string, planning = false): Promise<unknown[]> {
  const deps = {
    web: { allowsPrivate: () => true, search: { model: searching, modelName: 'searching' } },
    askUser: () => Promise.resolve({ 'Tea?': 'Yes' }),
    approvePlan: () => Promise.resolve({ approved: true } as const),
    shell: { projectDirectory: folder },
  };
  const agent = createAgent({
    model: scriptedModel([
      ...calls.map(([tool, input], index) => call(tool, input, `call_${index}`)),
      say('Done.'),
    ]),
    modelName: 'scripted',
    tools: [
      ...builtinTools(deps),
      ...builtinToolSet(deps).active.filter(({ name }) => name === 'ToolSearch'),
    ],
    cwd: folder,
    canUseTool: () => Promise.resolve({ allow: true }),
    permissionMode: planning ? 'plan' : 'bypassPermissions',
  });
  const results: unknown[] = [];
  for await (const line of agent.submit('go')) if (line.type === 'user') results.push(line.tool_use_result);
  return results;
}

function folderOf(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-results-'));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(path.join(folder, name), content);
  return folder;
}

const read: Call = ['Read', { file_path: 'a.txt' }];
const hunk = {
  oldStart: 1,
  oldLines: 3,
  newStart: 1,
  newLines: 3,
  lines: [' one', '-two', '+2', ' three'],
};
const todo = { content: 'Look', status: 'pending', activeForm: 'Looking' };
const anyPath = (name: string): unknown => expect.stringMatching(new RegExp(`/${name}$`));

const ROWS: readonly Row[] = [
  [
    'Bash',
    [['Bash', { command: 'echo out; echo err >&2' }]],
    { stdout: 'out\nerr\n', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
  ],
  ['Bash that fails', [['Bash', { command: 'echo no; exit 3' }]], 'Error: no\nExit code 3'],
  [
    'Bash in the background',
    [['Bash', { command: 'true', run_in_background: true }]],
    expect.objectContaining({ stdout: '', backgroundTaskId: expect.any(String) }),
  ],
  [
    'Bash with a long output',
    [['Bash', { command: 'yes | head -c 200000' }]],
    expect.objectContaining({ persistedOutputPath: expect.any(String), persistedOutputSize: 200_000 }),
  ],
  [
    'Bash whose exit code is an answer',
    [['Bash', { command: 'grep nothing a.txt' }]],
    expect.objectContaining({ returnCodeInterpretation: expect.any(String) }),
  ],
  [
    'Read of text',
    [['Read', { file_path: 'a.txt', offset: 2, limit: 1 }]],
    {
      type: 'text',
      file: { filePath: anyPath('a.txt'), content: 'two', numLines: 1, startLine: 2, totalLines: 3 },
    },
  ],
  [
    'Read of an image',
    [['Read', { file_path: 'dot.png' }]],
    {
      type: 'image',
      file: {
        base64: PNG,
        type: 'image/png',
        originalSize: Buffer.from(PNG, 'base64').length,
        dimensions: { originalWidth: 1, originalHeight: 1, displayWidth: 1, displayHeight: 1 },
      },
    },
  ],
  [
    'Read of a notebook',
    [['Read', { file_path: 'book.ipynb' }]],
    {
      type: 'notebook',
      file: {
        filePath: anyPath('book.ipynb'),
        cells: [{ cell_id: 'a1', cellType: 'code', source: 'x = 1', language: 'python' }],
      },
    },
  ],
  [
    'Read of a PDF',
    [['Read', { file_path: 'page.pdf' }]],
    {
      type: 'parts',
      file: { filePath: anyPath('page.pdf'), originalSize: expect.any(Number), count: 1, outputDir: '' },
    },
  ],
  [
    'Read of a missing file',
    [['Read', { file_path: 'none.txt' }]],
    expect.stringMatching(/^Error: .*none\.txt/),
  ],
  [
    'Edit',
    [read, ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }]],
    {
      filePath: anyPath('a.txt'),
      oldString: 'two',
      newString: '2',
      originalFile: 'one\ntwo\nthree\n',
      structuredPatch: [hunk],
      userModified: false,
      replaceAll: false,
    },
  ],
  [
    'Edit of a long file',
    [
      ['Read', { file_path: 'long.txt', limit: 1 }],
      ['edit', { file_path: 'long.txt', old_string: 'a line', new_string: 'the line', replace_all: 'true' }],
    ],
    expect.objectContaining({ originalFile: null, structuredPatch: [], replaceAll: true }),
  ],
  [
    'Write of a new file',
    [['Write', { file_path: 'new.txt', content: 'new\n' }]],
    {
      type: 'create',
      filePath: anyPath('new.txt'),
      content: 'new\n',
      structuredPatch: [],
      originalFile: null,
    },
  ],
  [
    'Write over a file',
    [read, ['Write', { file_path: 'a.txt', content: 'one\n2\nthree\n' }]],
    {
      type: 'update',
      filePath: anyPath('a.txt'),
      content: 'one\n2\nthree\n',
      structuredPatch: [hunk],
      originalFile: 'one\ntwo\nthree\n',
    },
  ],
  [
    'NotebookEdit',
    [
      ['Read', { file_path: 'book.ipynb' }],
      ['NotebookEdit', { notebook_path: 'book.ipynb', cell_id: 'a1', new_source: 'x = 2' }],
    ],
    {
      new_source: 'x = 2',
      old_source: 'x = 1',
      cell_id: 'a1',
      cell_type: 'code',
      language: 'python',
      edit_mode: 'replace',
      notebook_path: anyPath('book.ipynb'),
      original_file: NOTEBOOK,
      updated_file: expect.stringContaining('x = 2'),
    },
  ],
  [
    'Glob',
    [['Glob', { pattern: '*.txt' }]],
    {
      durationMs: expect.any(Number),
      numFiles: 2,
      filenames: expect.arrayContaining(['a.txt', 'long.txt']),
      truncated: false,
      totalMatches: 2,
      countIsComplete: true,
    },
  ],
  [
    'Grep for files',
    [['Grep', { pattern: 'two' }]],
    { mode: 'files_with_matches', numFiles: 1, filenames: ['a.txt'], totalFiles: 1 },
  ],
  [
    'Grep for lines',
    [['Grep', { pattern: 'a line', output_mode: 'content', head_limit: 2, offset: 1, '-n': false }]],
    {
      mode: 'content',
      numFiles: 1,
      filenames: [],
      content: 'long.txt:a line of text\nlong.txt:a line of text',
      numLines: 2,
      totalLines: 3_000,
      appliedLimit: 2,
      appliedOffset: 1,
    },
  ],
  [
    'Grep for counts',
    [['Grep', { pattern: 't', output_mode: 'count', glob: 'a.txt' }]],
    { mode: 'count', numFiles: 1, filenames: [], content: 'a.txt:2', numMatches: 2, totalFiles: 1 },
  ],
  [
    'WebSearch',
    [['WebSearch', { query: 'what is A' }]],
    {
      query: 'what is A',
      results: [
        { tool_use_id: 'call_0', content: [{ title: 'A', url: 'https://a.example/' }] },
        'A is a page.',
      ],
      durationSeconds: expect.any(Number),
    },
  ],
  ['TodoWrite', [['TodoWrite', { todos: [todo] }]], { oldTodos: [], newTodos: [todo] }],
  [
    'TaskCreate',
    [['TaskCreate', { subject: 'Look', description: 'Closely.' }]],
    { task: { id: '1', subject: 'Look', description: 'Closely.' } },
  ],
  [
    'TaskUpdate',
    [
      ['TaskCreate', { subject: 'Look', description: 'Closely.' }],
      ['TaskUpdate', { taskId: '1', status: 'completed' }],
    ],
    {
      success: true,
      taskId: '1',
      updatedFields: ['status'],
      statusChange: { from: 'pending', to: 'completed' },
    },
  ],
  [
    'TaskGet',
    [
      ['TaskCreate', { subject: 'Look', description: 'Closely.' }],
      ['TaskGet', { taskId: '1' }],
    ],
    {
      task: {
        id: '1',
        subject: 'Look',
        description: 'Closely.',
        status: 'pending',
        blocks: [],
        blockedBy: [],
      },
    },
  ],
  [
    'TaskList',
    [
      ['TaskCreate', { subject: 'Look', description: 'Closely.' }],
      ['TaskList', {}],
    ],
    { tasks: [{ id: '1', subject: 'Look', status: 'pending', blockedBy: [] }] },
  ],
  [
    'AskUserQuestion',
    [['AskUserQuestion', { questions: [QUESTION] }]],
    { questions: [{ ...QUESTION, multiSelect: false }], answers: { 'Tea?': 'Yes' } },
  ],
  ['EnterPlanMode', [['EnterPlanMode', {}]], { message: expect.any(String) }],
  [
    'ToolSearch (no shape of hosts, so its own)',
    [['ToolSearch', { query: 'notebook' }]],
    expect.objectContaining({ found: expect.any(Array) }),
  ],
];

describe('the tool_use_result of a call', () => {
  it.each(ROWS)('of %s has the shape that hosts read', async (_title, calls, expected) => {
    expect((await resultsOf(calls, folderOf())).at(-1)).toEqual(expected);
  });

  it('of ExitPlanMode carries the plan', async () => {
    const results = await resultsOf([['ExitPlanMode', { plan: 'First look.' }]], folderOf(), true);
    expect(results).toEqual([{ plan: 'First look.', isAgent: false }]);
  });

  it('of WebFetch carries the status and the page', async () => {
    const server = createServer((_request, response) => response.end('A page.'));
    const listening = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', listening.resolve);
    await listening.promise;
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const results = await resultsOf([['WebFetch', { url, prompt: 'What is it?' }]], folderOf());
    server.closeAllConnections();
    server.close();
    expect(results).toEqual([
      { bytes: 7, code: 200, codeText: 'OK', result: 'A page.', durationMs: expect.any(Number), url },
    ]);
  });

  it('of TaskStop names the task', async () => {
    const stopped = await stopOfTask();
    expect(stopped).toEqual({
      message: expect.any(String),
      task_id: expect.any(String),
      task_type: 'local_bash',
      command: 'sleep 60',
    });
  });

  it('is the data itself for a tool that a host brings under a built-in name', () => {
    const data = { mine: true };
    for (const tool of ['Read', 'Edit', 'Grep', 'Bash', 'TodoWrite', 'Unknown', 'constructor'])
      expect(hostResult({ id: 'c1', tool, input: {} }, data)).toBe(data);
    expect(hostResult({ id: 'c1', tool: 'Read', input: null }, 'a text')).toBe('a text');
  });

  it('is a string for a call that is denied', async () => {
    const agent = createAgent({
      model: scriptedModel([call('Bash', { command: 'touch x' }, 'c1'), say('Then not.')]),
      modelName: 'scripted',
      tools: builtinTools(),
      cwd: folderOf(),
    });
    const results: unknown[] = [];
    for await (const line of agent.submit('go')) if (line.type === 'user') results.push(line.tool_use_result);
    expect(results).toEqual([expect.stringMatching(/^Error: Permission denied\. .*\w\.$/)]);
  });
});

/** Starts a command in the background, then stops it by the id in the first result. */
async function stopOfTask(): Promise<unknown> {
  const folder = folderOf();
  const started = { id: '' };
  const agent = createAgent({
    model: scriptedModel([
      call('Bash', { command: 'sleep 60', run_in_background: true }, 'c1'),
      () => call('TaskStop', { task_id: started.id }, 'c2'),
      say('Done.'),
    ]),
    modelName: 'scripted',
    tools: builtinTools({ shell: { projectDirectory: folder } }),
    cwd: folder,
    permissionMode: 'bypassPermissions',
  });
  let last: unknown;
  for await (const line of agent.submit('go')) {
    if (line.type !== 'user') continue;
    last = line.tool_use_result;
    const id = JSON.stringify(last).match(/"backgroundTaskId":"([^"]+)"/)?.[1];
    if (id !== undefined) started.id = id;
  }
  return last;
}
