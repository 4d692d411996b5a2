/** The program as `bin/heddle` starts it, in its own folder, measured from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const OWN_PROGRAM = path.join(import.meta.dirname, '../../bin/heddle');

const CTRL_D = '\x04';

interface Arrival {
  readonly arrivedAt: number;
  readonly bytes: number;
  readonly gapMs: number | null;
}

interface FirstRequest {
  readonly toRequest: number;
  /** The processor time of all threads of the program until its first request arrived. */
  readonly cpuMs: number;
  readonly bytes: number;
}

interface PrintTimes {
  readonly toRequest: number;
  readonly toEnd: number;
  /** The size of the first request. */
  readonly bytes: number;
}

/** The settings of a user: none, and with many extensions. */
const PLAIN = 'config';
export const EXTENDED = 'config-with-extensions';

/** 50 skills, 50 slash commands and 20 hooks. */
function writeExtensions(config: string): void {
  for (let at = 0; at < 50; at++) {
    const skill = path.join(config, 'skills', `skill-${at}`);
    mkdirSync(skill, { recursive: true });
    mkdirSync(path.join(config, 'commands'), { recursive: true });
    const header = (name: string): string => `---\nname: ${name}\ndescription: Helps with task ${at}.\n---\n`;
    const body = 'Read the files first, and follow the steps.\n'.repeat(40);
    writeFileSync(path.join(skill, 'SKILL.md'), `${header(`skill-${at}`)}\n${body}`);
    writeFileSync(path.join(config, 'commands', `command-${at}.md`), `${header(`command-${at}`)}\n${body}`);
  }
  const hooks = Array.from({ length: 20 }, (_, at) => ({
    matcher: `Tool${at}`,
    hooks: [{ type: 'command', command: 'true' }],
  }));
  writeFileSync(path.join(config, 'settings.json'), JSON.stringify({ hooks: { PreToolUse: hooks } }));
}

export class Bench {
  readonly #program: string;
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-cli-'));
  readonly #server = spawn(process.execPath, [path.join(import.meta.dirname, 'server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #arrivals: Arrival[] = [];
  #onArrival: (arrival: Arrival) => void = () => undefined;
  #port = 0;

  constructor(program: string = OWN_PROGRAM) {
    this.#program = program;
  }

  async open(): Promise<void> {
    const notes = Array.from({ length: 300 }, (_, line) => `line ${line} of some notes`);
    writeFileSync(path.join(this.#folder, 'notes.txt'), notes.join('\n'));
    writeExtensions(path.join(this.#folder, EXTENDED));
    await new Promise<void>((resolve) => {
      createInterface({ input: this.#server.stdout }).on('line', (line) => {
        const said: { port: number } | Arrival = JSON.parse(line);
        if ('port' in said) {
          this.#port = said.port;
          resolve();
        } else {
          this.#arrivals.push(said);
          this.#onArrival(said);
        }
      });
    });
  }

  close(): void {
    this.#server.stdin.end();
    rmSync(this.#folder, { recursive: true });
  }

  async bareNode(): Promise<number> {
    const startedAt = now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    return now() - startedAt;
  }

  async version(): Promise<number> {
    const startedAt = now();
    await once(this.#spawn(this.#program, ['--version']), 'exit');
    return now() - startedAt;
  }

  /** Until the prompt appears in a terminal. `script` provides one, and its own start is included. */
  async prompt(): Promise<number> {
    const startedAt = now();
    const command = `${this.#program} --model anthropic/claude-short`;
    const child = this.#spawn('script', ['-qec', command, '/dev/null']);
    const shown = await new Promise<number>((resolve) => {
      let text = '';
      child.stdout?.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (/leaves[^>]*> /.test(text)) resolve(now() - startedAt);
      });
    });
    child.stdin?.end(CTRL_D);
    await once(child, 'exit');
    return shown;
  }

  /** One prompt with an immediate answer. `config`: the folder of the user's settings. */
  async print(flags: readonly string[] = [], config = PLAIN): Promise<PrintTimes> {
    const seen = this.#arrivals.length;
    const startedAt = now();
    const argv = ['-p', 'Go.', '--model', 'anthropic/claude-short', ...flags];
    await once(this.#spawn(this.#program, argv, config), 'exit');
    const toEnd = now() - startedAt;
    const { arrivedAt, bytes } = this.#arrivals[seen] ?? { arrivedAt: Number.NaN, bytes: Number.NaN };
    return { toRequest: arrivedAt - startedAt, toEnd, bytes };
  }

  /** One prompt. The program waits for the answer while its processor time is read. */
  async firstRequest(flags: readonly string[] = []): Promise<FirstRequest> {
    const startedAt = now();
    const child = this.#spawn(this.#program, ['-p', 'Go.', '--model', 'anthropic/claude-pause', ...flags]);
    const ended = once(child, 'exit');
    const first = await new Promise<FirstRequest>((resolve) => {
      this.#onArrival = ({ arrivedAt, bytes }) =>
        resolve({ toRequest: arrivedAt - startedAt, cpuMs: cpuOf(child), bytes });
    });
    this.#onArrival = () => undefined;
    await ended;
    return first;
  }

  /**
   * JSON on both sides: the process stays until its input closes, so that its peak can be read while it
   * runs.
   */
  async conversation(model: string): Promise<{ readonly peakMB: number; readonly gaps: readonly number[] }> {
    const seen = this.#arrivals.length;
    const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
    const child = this.#spawn(this.#program, [...formats, '--model', `anthropic/${model}`]);
    child.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go.' } })}\n`);
    if (child.stdout) {
      for await (const line of createInterface({ input: child.stdout }))
        if (line.startsWith('{"type":"result"')) break;
    }
    const peakMB = peakOf(child);
    child.stdin?.end();
    await once(child, 'exit');
    const gaps = this.#arrivals.slice(seen).flatMap(({ gapMs }) => (gapMs === null ? [] : [gapMs]));
    return { peakMB, gaps };
  }

  #spawn(command: string, args: readonly string[], config = PLAIN): ChildProcess {
    const env = {
      ...process.env,
      TERM: 'xterm-256color',
      HEDDLE_CONFIG_DIR: path.join(this.#folder, config),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.#port}`,
      ANTHROPIC_API_KEY: 'bench',
    };
    const child = spawn(command, args, { cwd: this.#folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (args[0] === '-p') child.stdin.end();
    return child;
  }
}

/** The time that all threads of a process were on a processor, in milliseconds. */
function cpuOf({ pid }: ChildProcess): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

function peakOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_000;
}

/** Milliseconds since the epoch with fractions, the same in every process of the machine. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
