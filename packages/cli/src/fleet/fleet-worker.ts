/** `heddle fleet worker` and `heddle fleet up`: runs turns with the settings, tools and models of this program. */
import path from 'node:path';
import {
  migrate,
  openDatabase,
  startEmbedded,
  startWorker,
  type WorkerAgent,
  type WorkerTurn,
} from '@heddle/fleet';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { agentOptions } from '../start/agent-options.ts';
import { startAgent } from '../start/start-agent.ts';
import { fleetFolder, learnLogin, publishAddress } from './connection.ts';
import { fail, misuse } from '../terminal/write-message.ts';
import { omitUndefined } from '@heddle/core';

export interface WorkerChoice {
  readonly concurrency: number | undefined;
  readonly parkAfterSeconds: number | undefined;
  /** Waits this long for running turns when the worker is stopped. */
  readonly waitSeconds: number;
  /** Flags of `heddle -p` for every turn, such as `--model` and `--allowed-tools`. */
  readonly flags: readonly string[];
  /** The folder for clones of repositories. */
  readonly workspaces: string | undefined;
  /** The folder of the embedded server. */
  readonly data: string | undefined;
  readonly log: (line: object) => void;
}

/** Exit code for a database that is away: a supervisor should start the worker again. */
const TEMPORARY_FAILURE = 75;

/** Starts an embedded server unless there is a database, and runs a worker until a signal comes. */
export async function runUp(given: string | undefined, choice: WorkerChoice): Promise<number> {
  if (given !== undefined) return runWorker(given, choice);
  const started = await startEmbedded(path.resolve(choice.data ?? path.join(fleetFolder(), 'postgres')));
  if (!started.ok) return fail(started.message);
  const withdraw = publishAddress(learnLogin(started.server.url));
  choice.log({ type: 'server', message: 'PostgreSQL is running on the loopback address' });
  try {
    return await runWorker(started.server.url, choice);
  } finally {
    withdraw();
    await started.server.stop();
  }
}

export async function runWorker(url: string, choice: WorkerChoice): Promise<number> {
  const command = readFlags(choice.flags);
  if (typeof command === 'string') return misuse(command);
  const database = openDatabase(url, 1);
  await migrate(database);
  await database.end();
  const over = Promise.withResolvers<number>();
  let waitMs = choice.waitSeconds * 1_000;
  const worker = await startWorker({
    url,
    ...omitUndefined({ concurrency: choice.concurrency }),
    ...(choice.parkAfterSeconds === undefined ? {} : { parkAfterMs: choice.parkAfterSeconds * 1_000 }),
    workspaces: choice.workspaces === undefined ? undefined : path.resolve(choice.workspaces),
    agent: (turn) => agentOf(command, turn),
    log: (message) => choice.log({ type: 'turn', message }),
    onLost: () => over.resolve(TEMPORARY_FAILURE),
    onDrain: (givenMs) => {
      waitMs = givenMs;
      over.resolve(0);
    },
  });
  choice.log({ type: 'worker', worker: worker.id, message: `worker ${worker.id} takes turns` });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.resolve(0));
  const code = await over.promise;
  choice.log({ type: 'worker', worker: worker.id, message: `worker ${worker.id} hands its turns back` });
  await worker.stop({ waitMs });
  return code;
}

/** The flags of a headless run. Returns a message if they make no sense. */
function readFlags(flags: readonly string[]): PrintCommand | string {
  const parsed = readArguments(['-p', ...flags]);
  if (!parsed.ok) return parsed.message;
  const { command } = parsed;
  if (command.name !== 'print' || command.prompt !== undefined)
    return 'after -- a worker takes flags only, such as --model and --allowed-tools';
  return command;
}

/**
 * The run uses nothing of the working directory of the worker, also if the workspace is inside of it. The files and folders that
 * flags name are still relative to that directory.
 */
function inWorkspace(command: PrintCommand, folder: string): PrintCommand {
  const { settings, mcpConfig, addDirs, projectConfigRoot = folder } = command;
  const fileOrJson = (value: string) => (value.trimStart().startsWith('{') ? value : path.resolve(value));
  return {
    ...command,
    folder,
    projectConfigRoot,
    settings: settings === undefined ? undefined : fileOrJson(settings),
    mcpConfig: mcpConfig.map(fileOrJson),
    addDirs: addDirs.map((added) => path.resolve(added)),
  };
}

async function agentOf(command: PrintCommand, turn: WorkerTurn): Promise<WorkerAgent> {
  const options = await agentOptions(turn.folder === undefined ? command : inWorkspace(command, turn.folder));
  if (!options.ok) throw new Error(options.message);
  const starting = await startAgent(options.command, options.options, {
    session: turn.log,
    startsRuns: false,
    waitsForSubagents: true,
    agent: { canUseTool: turn.ask, news: turn.news },
  });
  if (!starting.ok) {
    await options.options.mcp?.close();
    throw new Error(starting.message);
  }
  const { agent, close } = starting.started;
  return {
    agent,
    close: async () => {
      await close();
      await options.options.mcp?.close();
    },
  };
}
