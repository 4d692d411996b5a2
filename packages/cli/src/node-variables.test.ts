/** Variables of the user that would lead Node to code of an untrusted project, through the shipped program. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, EVENT_DEADLINE_MS, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_VARIABLES } from './start/node-variables.ts';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const EVIL = 'require("node:fs").appendFileSync("ran", process.argv.join(" "))';

/** Creates a folder with code that no start may run. */
function project(): Home {
  const home = homeFor(installed.program);
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(home.folder, file)), { recursive: true });
    writeFileSync(path.join(home.folder, file), text);
  };
  write('evil.cjs', EVIL);
  write('evil.mjs', `import { appendFileSync } from 'node:fs'; appendFileSync('ran', 'x');`);
  write('evil/index.js', EVIL);
  for (const folder of ['lib', 'node_modules', '.node_modules', '.node_libraries', 'src/node_modules'])
    for (const name of ['evil', '@aws-sdk/credential-providers', 'pg-native', 'bufferutil'])
      write(`${folder}/${name}/index.js`, EVIL);
  write('.env', 'NODE_OPTIONS=--require ./evil.cjs');
  write(
    'node.config.json',
    JSON.stringify({ nodeOptions: { require: ['./evil.cjs'], import: ['./evil.mjs'] } }),
  );
  return home;
}

const ran = ({ folder }: Home): boolean => existsSync(path.join(folder, 'ran'));

it('the launcher renames the variables that the program restores', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../bin/heddle'), 'utf8');
  const [, names = ''] = /for heddle_name in (NODE_OPTIONS[^;]+);/.exec(text) ?? [];
  expect(names.split(' ')).toEqual(NODE_VARIABLES);
});

const AWS = { AWS_REGION: 'us-east-1', AWS_PROFILE: 'p' };

describe('the program starts without code of the folder', () => {
  it.each([
    '--require ./evil.cjs',
    '--require=./evil.cjs',
    '--require evil',
    '-r ./evil.cjs',
    '-r evil',
    '--no-warnings -r evil/index.js',
    '--import ./evil.mjs',
    '--import=./evil.mjs',
    '--import evil',
    '--loader ./evil.mjs',
    '--experimental-loader=./evil.mjs',
    '--require "./evil.cjs"',
    '"--require" ./evil.cjs',
    '--import=data:text/javascript,import(process.cwd()+"/evil.mjs")',
    '--max-old-space-size=4096 --require ./evil.cjs',
    '--experimental-default-config-file',
    '--experimental-config-file=node.config.json',
    '--trace-warnings   -r   ./evil.cjs',
  ])('with NODE_OPTIONS=%s', async (value) => {
    const home = project();
    const env = { NODE_OPTIONS: value, NODE_PATH: 'lib' };
    expect(await home.run(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(ran(home)).toBe(false);
  });

  it.each(['lib', '.', 'lib:.', './lib', 'src/node_modules', ':lib'])('with NODE_PATH=%s', async (value) => {
    const home = project();
    const { stderr } = await home.run(['-p', 'go', '--model', 'bedrock/x'], {
      env: { ...AWS, NODE_PATH: value },
    });
    expect(stderr).toContain('the package @aws-sdk/credential-providers is not installed');
    expect(ran(home)).toBe(false);
  });

  it('with an absolute NODE_PATH in the folder, and if the folder is the home folder', async () => {
    const home = project();
    const env = { ...AWS, NODE_PATH: path.join(home.folder, 'lib'), HOME: home.folder };
    await home.run(['-p', 'go', '--model', 'bedrock/x'], { env });
    expect(ran(home)).toBe(false);
  });
});

it.each(['--max-old-space-size=4096', '--require=FOLDER/own.cjs', '-r FOLDER/own.cjs --no-warnings'])(
  'the program starts with NODE_OPTIONS=%s',
  async (value) => {
    const home = project();
    writeFileSync(
      path.join(home.folder, 'own.cjs'),
      'require("node:fs").writeFileSync("own", process.env.NODE_OPTIONS ?? "")',
    );
    const given = value.replace('FOLDER', home.folder);
    expect(await home.run(['--version'], { env: { NODE_OPTIONS: given } })).toMatchObject({ code: 0 });
    expect(existsSync(path.join(home.folder, 'own'))).toBe(value.includes('own.cjs'));
  },
);

const GIVEN = { NODE_OPTIONS: '--require ./evil.cjs', NODE_PATH: 'lib', OPENSSL_CONF: 'x.cnf' };
const PRINT =
  'printf "%s|" "$NODE_OPTIONS" "$NODE_PATH" "$OPENSSL_CONF" "$(env | grep -c HEDDLE_COMMANDS)" > given';
const MODE = ['--permission-mode', 'bypassPermissions'];

describe('commands run with the variables of the user', () => {
  it('in a session', async () => {
    const home = project();
    const model = home.script([[call('Bash', { command: PRINT }, 'b1')], [say('Done.')]]);
    await home.run(['-p', 'go', '--model', model, ...MODE], { env: GIVEN });
    expect(readFileSync(path.join(home.folder, 'given'), 'utf8')).toBe('--require ./evil.cjs|lib|x.cnf|0|');
    expect(ran(home)).toBe(false);
  });

  it('in a background job, which starts without code of the folder, too', async () => {
    const home = project();
    const model = home.script([[call('Bash', { command: PRINT }, 'b1')], [say('Done.')]]);
    await home.run(['run', '--background', 'go', '--model', model, ...MODE], { env: GIVEN });
    const file = path.join(home.folder, 'given');
    const given = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    await expect.poll(given, { timeout: EVENT_DEADLINE_MS }).toBe('--require ./evil.cjs|lib|x.cnf|0|');
    expect(ran(home)).toBe(false);
  });
});
