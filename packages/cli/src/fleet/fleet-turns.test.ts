/**
 * A session starts on this machine, moves into the fleet, loses its workers there, and returns. Its turns use hooks, an MCP server,
 * a subagent and a compaction, with worker processes and the fake API.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import { findPrograms, Fleet, type Seen, resultText, startEmbedded } from '@heddle/fleet';
import { call, fail, say, startFakeApi, type FakeApi } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install } from '../test/program.ts';

const isInstalled = (await findPrograms()) !== undefined;
const MODEL = 'claude-sonnet-4-5';
const HANDOFF = 'The note is written.';

/** Answers by the content of the request, so that a continued run gets the same answers. */
function respond(body: unknown) {
  const text = JSON.stringify(body);
  const has = (id: string): boolean => text.includes(`"tool_use_id":"${id}"`);
  const bash = (id: string, command: string) => call('Bash', { command, description: 'a step' }, id);
  /** Begins, and waits until its worker is killed. */
  const hang = (id: string, effect: string) =>
    bash(id, `${effect}; touch running-${id}; while [ -e running-${id} ]; do sleep 0.05; done`);
  if (text.includes(SUMMARY_MARK)) return say(HANDOFF);
  if (text.includes('You are a subagent')) {
    if (!has('c1')) return hang('c1', 'echo begun >> note.txt');
    return has('c2') ? say('The note is complete.') : bash('c2', 'echo continued >> note.txt');
  }
  if (text.includes('Third.')) return has('t9') ? say('Returned.') : hang('t9', 'echo third >> note.txt');
  if (text.includes(HANDOFF)) return say('All is done.');
  if (has('t2')) return fail('overflow');
  if (has('t1')) return call('Agent', { description: 'note', prompt: 'Write the note.' }, 't2');
  if (text.includes('Second.')) return call('mcp__s__echo', { text: 'x'.repeat(30_000) }, 't1');
  return say('One.');
}

interface Scene {
  readonly home: Home;
  readonly api: FakeApi;
  readonly url: string;
  readonly fleet: Fleet;
}

/** Starts a worker with files of its own, as on another machine. Returns when it takes turns. */
async function startWorker({ home, api, url }: Scene, name: string): Promise<ChildProcess> {
  const { command, args } = testServer('s');
  const pids = path.join(home.folder, 'pids');
  const server = { command: 'sh', args: ['-c', `echo $$ >> '${pids}'; exec "$@"`, 'sh', command, ...args] };
  const stop = { type: 'command', command: `echo ${name} >> '${home.folder}/stops'` };
  const servers = JSON.stringify({ mcpServers: { s: server } });
  const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [stop] }] } });
  const rules = ['--allowed-tools', 'Bash,mcp__s__echo', '--settings', settings];
  const flags = ['--model', `anthropic/${MODEL}`, '--mcp-config', servers, ...rules];
  const started = Promise.withResolvers<ChildProcess>();
  const argv = ['fleet', 'worker', '--workspaces', path.join(home.folder, name), '--', ...flags];
  const ended = home.run(argv, {
    env: { ...keysFor(api), DATABASE_URL: url },
    onOutput: (text, child) => void (text.includes('takes turns') && started.resolve(child)),
  });
  void ended.then(({ stderr }) => started.reject(new Error(stderr)));
  return started.promise;
}

const keysFor = (api: FakeApi) => ({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url });

/** Waits until a call runs, and kills its worker. The command ends when its file is gone. */
async function killDuring({ home }: Scene, worker: ChildProcess, id: string): Promise<void> {
  const find = (): string[] => globSync(`${home.folder}/*/**/running-${id}`);
  await expect.poll(find).toHaveLength(1);
  worker.kill('SIGKILL');
  for (const file of find()) rmSync(file);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.runIf(isInstalled)(
  'a session moves into the fleet with hooks, MCP and subagents, loses two workers, and returns',
  async () => {
    const { program } = await install();
    const home = homeFor(program);
    const api = await startFakeApi((body) => respond(body), { models: [MODEL] });
    // Root runs the server as another user, who must be able to enter the folder.
    chmodSync(home.folder, 0o755);
    const starting = await startEmbedded(path.join(home.folder, 'postgres'), { settings: { fsync: 'off' } });
    if (!starting.ok) throw new Error(starting.message);
    const { url } = starting.server;
    const fleet = await Fleet.connect(url);
    const scene: Scene = { home, api, url, fleet };
    const local = (...argv: readonly string[]) =>
      home.run(['-p', ...argv, '--model', `anthropic/${MODEL}`, '--output-format', 'json'], {
        env: keysFor(api),
      });
    const move = (...argv: readonly string[]) => home.run(['fleet', ...argv], { env: { DATABASE_URL: url } });
    const first = await local('First.');
    const id = /"session_id":"([^"]+)"/.exec(first.stdout)?.[1] ?? '';
    expect((await move('import', 'moved', id)).code).toBe(0);

    // The first worker dies while a subagent runs a command.
    const dying = await startWorker(scene, 'one');
    const turn = await fleet.submit('moved', 'Second.');
    await killDuring(scene, dying, 'c1');
    const second = await startWorker(scene, 'two');
    const lines: Seen[] = [];
    for await (const line of fleet.watch('moved', { untilTurn: turn })) lines.push(line);
    expect(resultText((await fleet.turn('moved', turn))?.result)).toBe('All is done.');
    const ofChild = lines.filter(({ agent }) => agent !== null);
    expect(ofChild.map(({ kind }) => kind)).toContain('end');
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_line, at) => at + 1));
    const told = (text: string): number => lines.filter(({ line }) => line.includes(text)).length;
    expect(told('may or may not have taken effect')).toBeGreaterThan(0);
    // A slow worker has stored the files of an earlier call.
    const note =
      /moved to another machine\. Its files (were not stored|are as stored at entry \d+)\. The effects [^"]* missing: [^"]*Bash \(c1\)/;
    const noted = lines.filter(({ kind, line }) => kind === 'attachment' && note.test(line));
    expect(noted.map(({ agent }) => agent)).toEqual([null]);
    expect(lines.filter(({ kind }) => kind === 'boundary')).toHaveLength(1);
    expect(readFileSync(path.join(home.folder, 'stops'), 'utf8')).toBe('two\n');
    // The servers of a turn end with it, and with the death of their worker.
    const pids = readFileSync(path.join(home.folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);

    // The second worker dies in the next turn, and the session returns without an end.
    await fleet.submit('moved', 'Third.');
    await killDuring(scene, second, 't9');
    const [file = ''] = globSync(`${home.folder}/config/projects/*/${id}.jsonl`);
    expect((await move('export', 'moved', file)).stdout).toContain('lines written');
    const returned = await local('--continue-run', '--resume', id);
    expect(returned.stdout).toContain('Returned.');
    expect(globSync(`${file.slice(0, -'.jsonl'.length)}/subagents/*`)).toHaveLength(2);
    expect((await home.run(['replay', file])).code).toBe(0);
    api.assertNoViolations();
    await fleet.close();
    await api.close();
    await starting.server.stop();
  },
);
