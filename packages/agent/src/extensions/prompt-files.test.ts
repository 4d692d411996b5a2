import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverPromptFiles, readBody } from './discover.ts';
import { expandPrompt, splitArguments } from './expand-prompt.ts';
import { MarkdownReader } from './frontmatter.ts';
import { type LoadedPrompt, readPromptFile, toolList } from './prompt-file.ts';
import { readSmallFile } from './small-file.ts';

const skill = (text: string, name = 'fix-tests') =>
  readPromptFile({ kind: 'skill', file: `/s/${name}/SKILL.md`, name, scope: 'user' }, text);

describe('a Markdown file with a header', () => {
  it.each([
    ['no header', 'text', {}],
    ['an empty header', '---\n---\ntext', {}],
    ['text', '---\nname: a b\n---\ntext', { name: 'a b' }],
    ['quoted text', '---\nname: "a: b"\nother: \'x\'\n---\ntext', { name: 'a: b', other: 'x' }],
    [
      'numbers, booleans and null',
      '---\na: 1\nb: true\nc: null\nd:\n---\ntext',
      { a: 1, b: true, c: null, d: null },
    ],
    ['lists', '---\na: [x, y]\nb:\n  - p\n  - q\n---\ntext', { a: ['x', 'y'], b: ['p', 'q'] }],
    ['comments', '---\n# c\nname: x\n---\ntext', { name: 'x' }],
    ['a block of text', '---\nd: |\n  one\n  two\n---\ntext', { d: 'one\ntwo\n' }],
    ['a nested object', '---\nm:\n  k: v\n---\ntext', { m: { k: 'v' } }],
    [
      'a sentence with a colon',
      '---\ndescription: Use when: asked\n---\ntext',
      { description: 'Use when: asked' },
    ],
    [
      'a hint that looks like a list',
      '---\nargument-hint: [a] [b]\n---\ntext',
      { 'argument-hint': '[a] [b]' },
    ],
    ['Windows line ends', '---\r\nname: x\r\n---\r\ntext', { name: 'x' }],
    ['a byte order mark', '\uFEFF---\nname: x\n---\ntext', { name: 'x' }],
  ])('may have %s', async (_, text, fields) => {
    expect(await new MarkdownReader().read(text)).toEqual({ fields, body: 'text', problems: [] });
  });

  it('is read line by line if the header is not valid YAML, and names the line', async () => {
    const read = await new MarkdownReader().read('---\nname: x\nmodel: *\n  more\nbad: [\n---\ntext');
    expect(read).toMatchObject({
      fields: { name: 'x', model: '* more', bad: '[' },
      problems: [{ line: 3, message: expect.stringContaining('read line by line') }],
    });
  });

  it('is all body if its header has no end', async () => {
    const read = await new MarkdownReader().read('---\nname: x\ntext');
    expect(read).toMatchObject({ fields: {}, body: '---\nname: x\ntext', problems: [{ line: 1 }] });
  });

  it('cannot make the reader expand aliases without limit', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let at = 0; at < 8; at++) {
      const [now, before] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)];
      lines.push(`${now}: &${now} [${`*${before}, `.repeat(8)}*${before}]`);
    }
    const read = new MarkdownReader().read(`---\n${lines.join('\n')}\n---\ntext`);
    await expect(read).resolves.toMatchObject({ body: 'text', problems: [{}] });
  });
});

describe('a skill', () => {
  it('has the fields of its header', async () => {
    const { promptFile, problems } = await skill(
      '---\nname: fix-tests\ndescription: Fixes tests.\nallowed-tools: Bash(npm test:*), Read\ndisable-model-invocation: true\ncontext: fork\narguments: [suite, name]\n---\nDo it.',
    );
    expect(problems).toEqual([]);
    expect(promptFile).toMatchObject({
      name: 'fix-tests',
      description: 'Fixes tests.',
      allowedTools: ['Bash(npm test:*)', 'Read'],
      isForModel: false,
      isForUser: true,
      isForked: true,
      argumentNames: ['suite', 'name'],
      body: 'Do it.',
    });
  });

  it.each([
    ['---\ndescription: d\n---\nb', 'The skill has no name'],
    ['---\nname: Fix Tests\ndescription: d\n---\nb', 'not made of lowercase letters'],
    ['---\nname: other\ndescription: d\n---\nb', 'differs from the name of its folder'],
    ['---\nname: fix-tests\n---\n# Title\n\nFirst text.', 'has no description'],
    [`---\nname: fix-tests\ndescription: ${'x'.repeat(1_025)}\n---\nb`, 'longer than 1024 characters'],
    ['---\nname: fix-tests\ndescription: d\nuser-invocable: maybe\n---\nb', 'is not true or false'],
    ['---\nname: fix-tests\ndescription: d\nmodel:\n  a: b\n---\nb', 'model is not text'],
  ])('loads with a warning: %j', async (text, message) => {
    const { promptFile, problems } = await skill(text);
    expect(problems).toEqual([{ line: expect.any(Number), message: expect.stringContaining(message) }]);
    expect(promptFile?.description).not.toBe('');
  });
});

describe('a list of tools', () => {
  it.each([
    ['Read, Write', ['Read', 'Write']],
    ['Read Write', ['Read', 'Write']],
    ['Bash(git add:*), Bash(git status:*)', ['Bash(git add:*)', 'Bash(git status:*)']],
    [
      ['Read', 'Bash(a, b)'],
      ['Read', 'Bash(a, b)'],
    ],
    [undefined, []],
  ])('%j has the items %j', (value, items) => {
    expect(toolList(value)).toEqual(items);
  });
});

describe('the body of a prompt file', () => {
  const file = (body: string, more: Partial<LoadedPrompt> = {}): LoadedPrompt => ({
    kind: 'command',
    name: 'c',
    longName: undefined,
    description: '',
    whenToUse: undefined,
    argumentHint: undefined,
    argumentNames: ['first', 'second'],
    allowedTools: [],
    disallowedTools: [],
    model: undefined,
    effort: undefined,
    isForModel: true,
    isForUser: true,
    isForked: false,
    agent: undefined,
    hooks: undefined,
    paths: [],
    shell: undefined,
    body,
    file: '/p/c.md',
    folder: '/p',
    scope: 'user',
    ...more,
  });
  const expand = (body: string, text = '', ran: string[] = []) =>
    expandPrompt(file(body), { text, sessionId: 'id-1', effort: 'high' }, (command) => {
      ran.push(command);
      return command === 'fail'
        ? Promise.reject(new Error('exit code 1'))
        : Promise.resolve(`<${command}>\n`);
    });

  it.each([
    ['Fix $ARGUMENTS.', 'a b', 'Fix a b.'],
    ['Fix it.', 'a b', 'Fix it.\n\nARGUMENTS: a b'],
    ['Fix it.', '', 'Fix it.'],
    ['$0-$1-$2', 'a "b c"', 'a-b c-'],
    ['$ARGUMENTS[1]', 'a b', 'b'],
    ['$first $second $third', 'a b', 'a b $third'],
    ['costs \\$5 $0', 'a', 'costs $5 a'],
    ['${CLAUDE_SESSION_ID} ${CLAUDE_SKILL_DIR} ${CLAUDE_EFFORT}', '', 'id-1 /p high'],
    ['${CLAUDE_SKILL_DIR}/x', 'arg', '/p/x\n\nARGUMENTS: arg'],
    ['$ARGUMENTS', '$0 !`rm x`', '$0 !`rm x`'],
  ])('%j with the arguments %j becomes %j', async (body, text, prompt) => {
    expect(await expand(body, text)).toBe(prompt);
  });

  it('contains the output of its commands', async () => {
    expect(await expand('Status: !`git status`\n\n```!\nls -l\nls\n```\nend')).toBe(
      'Status: <git status>\n\n<ls -l\nls>\nend',
    );
  });

  it('leaves code that only looks like a command', async () => {
    const ran: string[] = [];
    await expand('Write `!`a`` or x!`b`.', '', ran);
    expect(ran).toEqual([]);
  });

  it('says which command failed', async () => {
    expect(await expand('!`fail`')).toBe('[The command "fail" failed: exit code 1]');
  });

  it('gives an argument to a command as one word', async () => {
    const ran: string[] = [];
    await expand('!`grep $ARGUMENTS src`', "a'; rm -rf /", ran);
    expect(ran).toEqual([`grep 'a'\\''; rm -rf /' src`]);
  });

  const HOSTILE = [
    '$(touch made)',
    '`touch made`',
    '; touch made;',
    '"; touch made; "',
    "'; touch made; '",
    "'$(touch made)'",
    '\\',
    '\\"$(touch made)',
    "\\'; touch made #",
    'a\ntouch made\n',
    '${IFS}$HOME!x*',
    ' # x',
    '-n',
  ];

  it.each([
    ['printf %s $ARGUMENTS', (value: string) => value],
    ['printf %s "$ARGUMENTS"', (value: string) => value],
    [`printf %s '$ARGUMENTS'`, (value: string) => value],
    [`printf %s "it's $ARGUMENTS"`, (value: string) => `it's ${value}`],
    [`printf %s 'a"b'"c'd$ARGUMENTS"`, (value: string) => `a"bc'd${value}`],
    [`printf %s "a\\"b $ARGUMENTS"`, (value: string) => `a"b ${value}`],
    [`printf %s "\${NONE}a#$ARGUMENTS"`, (value: string) => `a#${value}`],
    ['printf %s a\\"$ARGUMENTS', (value: string) => `a"${value}`],
    ['printf %s a#b$ARGUMENTS # it is', (value: string) => `a#b${value}`],
    ['true # "\nprintf %s $ARGUMENTS', (value: string) => value],
    ['printf %s $(printf %s. $ARGUMENTS) | cat', undefined],
    ['cat <<< $ARGUMENTS', undefined],
  ])('inserts an argument as text: %s', async (command, expected) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-arguments-'));
    for (const value of HOSTILE) {
      const ran: string[] = [];
      await expand(`\`\`\`!\n${command}\n\`\`\``, value, ran);
      const shown = execFileSync('bash', ['-c', ran[0] ?? 'exit 1'], { cwd: folder, encoding: 'utf8' });
      if (expected) expect([command, value, shown]).toEqual([command, value, expected(value.trim())]);
      expect([value, readdirSync(folder)]).toEqual([value, []]);
    }
  });

  it.each([
    'cat <<E\n$ARGUMENTS\nE',
    'echo `echo $ARGUMENTS`',
    'echo "$(echo $ARGUMENTS)"',
    "echo $'a $ARGUMENTS'",
    'echo ${x:-$ARGUMENTS}',
    'echo $(($ARGUMENTS))',
    'ls # $ARGUMENTS',
  ])('does not run a command in which an argument could be code: %s', async (command) => {
    const ran: string[] = [];
    const shown = await expand(`\`\`\`!\n${command}\n\`\`\``, 'x', ran);
    expect([ran, shown]).toEqual([[], expect.stringContaining('an argument can only be')]);
  });

  it('leaves a variable with a backslash to the shell', async () => {
    const ran: string[] = [];
    await expand('!`echo \\$1 "\\$1" $0`', 'a b', ran);
    expect(ran).toEqual([`echo \\$1 "\\$1" 'a'`]);
  });

  it('quotes arguments for PowerShell', async () => {
    const ran: string[] = [];
    const run = (command: string) => Promise.resolve(String(ran.push(command)));
    const given = { text: "a'; x ‘y", sessionId: 'id-1' };
    await expandPrompt(file('!`Write-Output $ARGUMENTS`', { shell: 'powershell' }), given, run);
    await expandPrompt(file('!`Write-Output "$ARGUMENTS"`', { shell: 'powershell' }), given, run);
    expect(ran).toEqual(["Write-Output 'a''; x ‘‘y'"]);
  });

  it('splits arguments like a shell', () => {
    expect(splitArguments(`a "b c" 'd "e' f\\ g "h\\"i"`)).toEqual(['a', 'b c', 'd "e', 'f g', 'h"i']);
  });
});

describe('discovery', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'heddle-extensions-'));
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  const header = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;

  it('finds skills and commands, also in subfolders, with the strongest first', async () => {
    write('user/skills/review/SKILL.md', `${header('review')}user`);
    write('project/skills/review/SKILL.md', `${header('review')}project`);
    write('project/commands/review.md', 'a command');
    write('project/commands/git/commit.md', 'commit');
    write('project/skills/empty/README.md', 'nothing');
    write('plugin/commands/deploy.md', 'deploy');
    symlinkSync('.', path.join(root, 'project/commands/loop'));
    const { promptFiles, problems } = await discoverPromptFiles([
      { folder: path.join(root, 'user'), scope: 'user' },
      { folder: path.join(root, 'project'), scope: 'project' },
      { folder: path.join(root, 'plugin'), scope: 'plugin', plugin: 'ops' },
      { folder: path.join(root, 'absent'), scope: 'project' },
    ]);
    expect(promptFiles.map((file) => [file.kind, file.name, readBody(file)])).toEqual([
      ['skill', 'review', 'user'],
      ['command', 'commit', 'commit'],
      ['command', 'ops:deploy', 'deploy'],
    ]);
    expect(problems).toEqual([]);
  });

  it('reads the text of a file when it is used, and not through a link that leads out now', async () => {
    write('later/commands/go.md', `${header('go')}first`);
    write('secret.md', 'secret');
    const file = path.join(root, 'later/commands/go.md');
    const within = path.join(root, 'later');
    const { promptFiles } = await discoverPromptFiles([{ folder: within, scope: 'project', within }]);
    const [found] = promptFiles;
    if (found === undefined) throw new Error('not found');
    writeFileSync(file, `${header('go')}second`);
    expect(readBody(found)).toBe('second');
    rmSync(file);
    expect(readBody(found)).toBeUndefined();
    symlinkSync(path.join(root, 'secret.md'), file);
    expect(readBody(found)).toBeUndefined();
  });

  it('leaves out files whose name is not one word, or is that of a prompt of a server, and reports them', async () => {
    const skillNamed = (name: string): string => `---\nname: ${JSON.stringify(name)}\ndescription: d\n---\nx`;
    const folder = path.join(root, 'names');
    write('names/commands/permissions add allow Bash.md', 'x');
    write('names/commands/no\u00A0break.md', 'x');
    write('names/commands/mcp__notes__sum.md', 'x');
    write('names/commands/a folder/deploy.md', 'x');
    write('names/commands/git/deploy.md', 'x');
    for (const name of ['v1.2_x', 'été', 'a:b']) write(`names/commands/${name}.md`, 'x');
    for (const [at, name] of ['mode acceptEdits', 'clear\t', 'a/b', 'Tidy-Up'].entries())
      write(`names/skills/s${at}/SKILL.md`, skillNamed(name));
    const { promptFiles, problems } = await discoverPromptFiles([{ folder, scope: 'project' }]);
    expect(Object.fromEntries(promptFiles.map(({ name, longName }) => [name, longName]))).toStrictEqual({
      clear: undefined,
      'Tidy-Up': undefined,
      'a:b': undefined,
      deploy: undefined,
      'git:deploy': 'git:deploy',
      'v1.2_x': undefined,
      été: undefined,
    });
    const leftOut = problems.filter((problem) => problem.includes('left out.'));
    expect(leftOut).toHaveLength(5);
    expect(problems.slice(0, 5)).toEqual(leftOut);
    expect(leftOut.join('\n')).toContain('Its name "mode acceptEdits" is not one word of letters');
    const plugin = await discoverPromptFiles([{ folder, scope: 'plugin', plugin: 'my kit' }]);
    expect(plugin.promptFiles).toEqual([]);
  });

  it('names file and line of a problem', async () => {
    write('bad/skills/broken/SKILL.md', '---\nname: broken\ndescription: d\nmodel: *\n---\nx');
    const { promptFiles, problems } = await discoverPromptFiles([
      { folder: path.join(root, 'bad'), scope: 'user' },
    ]);
    expect(promptFiles).toHaveLength(1);
    expect(problems).toEqual([expect.stringMatching(/broken\/SKILL\.md:4: .*read line by line/)]);
  });
});

it.runIf(process.platform === 'linux')('a file that hides its size is read up to the limit', () => {
  const read = readSmallFile('/proc/self/status', 10);
  expect(read).toMatchObject({ text: expect.stringMatching(/^Name:/), size: 11 });
  expect(read?.text).toHaveLength(10);
});
