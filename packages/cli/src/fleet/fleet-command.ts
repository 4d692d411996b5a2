/** `heddle fleet`: reads its arguments and runs a worker or a client command. */
import { errorMessage } from '@heddle/core';
import { type FlagValues, printResult, readSubcommand, splitAtDashes } from '../arguments/subcommand.ts';
import { knownSecrets } from '../known-secrets.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, writeMessage } from '../terminal/write-message.ts';
import { ADMIN_COMMANDS } from './admin-commands.ts';
import type { ClientChoice, ClientCommands, Report } from './client-command.ts';
import { databaseUrl, namedDatabase, NO_DATABASE, withFleet } from './connection.ts';
import type { WorkerChoice } from './fleet-worker.ts';
import { SESSION_COMMANDS } from './session-commands.ts';

const CLIENT_COMMANDS: ClientCommands = { ...SESSION_COMMANDS, ...ADMIN_COMMANDS };

const HELP = `heddle fleet up [-- FLAGS]                   starts an embedded PostgreSQL and a worker; FLAGS are those of heddle -p
heddle fleet worker [-- FLAGS]               runs a worker for the database of --database
heddle fleet submit SESSION PROMPT           queues a prompt; --watch shows it until its end; --repo URL --ref REF
heddle fleet watch SESSION [--after SEQ]     shows the stored lines as they come; heddle fleet cancel SESSION ends the turn
heddle fleet questions                       permission questions; heddle fleet answer QUESTION allow|deny
heddle fleet list                            sessions with their state and costs; heddle fleet doctor lists workers;
                                             heddle fleet drain asks workers to stop, and waits until they have
heddle fleet tenant NAME                     creates a tenant, or sets --max-running, --per-minute, --budget
heddle fleet serve [--host H] [--port N]     serves HTTP for tokens of tenants; heddle fleet openapi describes it
heddle fleet token LABEL --rights R,R        creates a token of a tenant; tokens lists them, revoke TOKEN ends one
heddle fleet export|import SESSION FILE      writes the lines as a session file; stores those of a local session
heddle fleet migrate [--scheduler NAME]      brings the tables up to date; the scheduler is queue or dbos
heddle fleet prune --older-than 30d          removes old sessions

All commands: --json --database URL --tenant NAME. docs/fleet.md describes the flags of each command.`;

const OPTIONS = {
  database: { type: 'string' },
  data: { type: 'string' },
  tenant: { type: 'string' },
  key: { type: 'string' },
  by: { type: 'string' },
  message: { type: 'string' },
  after: { type: 'string' },
  watch: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  concurrency: { type: 'string' },
  wait: { type: 'string' },
  budget: { type: 'string' },
  'park-after': { type: 'string' },
  'older-than': { type: 'string' },
  'max-running': { type: 'string' },
  'per-minute': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  rights: { type: 'string' },
  expires: { type: 'string' },
  worker: { type: 'string' },
  scheduler: { type: 'string' },
  repo: { type: 'string' },
  ref: { type: 'string' },
  workspaces: { type: 'string' },
} as const;

export async function fleetCommand(argv: readonly string[]): Promise<number> {
  const [own, flags] = splitAtDashes(argv);
  const read = readSubcommand(own, OPTIONS);
  if (!read.ok) return misuse(read.message);
  const { values, positionals } = read;
  const [verb = 'help', ...words] = positionals;
  if (values.help || verb === 'help') return printResult(HELP);
  try {
    return await runVerb(verb, words, { values, flags });
  } catch (thrown) {
    if (thrown instanceof RangeError) return misuse(thrown.message);
    return fail(knownSecrets.redact(errorMessage(thrown) || String(thrown)));
  }
}

interface FleetArguments {
  readonly values: FleetValues;
  /** The flags of a run, after `--`. */
  readonly flags: readonly string[];
}

type FleetValues = FlagValues<typeof OPTIONS>;

/** Throws a RangeError if a flag has a wrong value. */
async function runVerb(verb: string, words: readonly string[], given: FleetArguments): Promise<number> {
  const { values } = given;
  const show = printer(values.json ?? false);
  const url = databaseUrl(values.database);
  if (verb === 'up' || verb === 'worker') {
    if (words.length > 0) return misuse(`fleet ${verb} takes no words; flags of a run follow after --`);
    const choice = workerChoice(given, show);
    const { runUp, runWorker } = await import('./fleet-worker.ts');
    if (verb === 'up') return runUp(namedDatabase(values.database), choice);
    return url === undefined ? misuse(NO_DATABASE) : runWorker(url, choice);
  }
  if (verb === 'serve' || verb === 'openapi') {
    if (words.length > 0) return misuse(`fleet ${verb} takes no words`);
    const { printOpenApi, runServe } = await import('./fleet-serve.ts');
    if (verb === 'openapi') return printOpenApi();
    if (url === undefined) return misuse(NO_DATABASE);
    return runServe({ url, host: values.host, port: numberOf('port', values) }, show);
  }
  const command = Object.hasOwn(CLIENT_COMMANDS, verb) ? CLIENT_COMMANDS[verb] : undefined;
  if (!command) return misuse(`fleet ${verb} is not a command. See heddle fleet help.`);
  const expected = command.words === '' ? [] : command.words.split(' ');
  if (words.length !== expected.length) return misuse(`fleet ${verb} takes ${command.words || 'no words'}`);
  if (url === undefined) return misuse(NO_DATABASE);
  const choice = clientChoice(values);
  const report = await withFleet(url, (fleet) => command.run(fleet, words, choice, show));
  show(report);
  return report.code ?? 0;
}

function workerChoice({ values, flags }: FleetArguments, show: (report: Report) => void): WorkerChoice {
  return {
    concurrency: numberOf('concurrency', values),
    parkAfterSeconds: numberOf('park-after', values),
    waitSeconds: numberOf('wait', values) ?? 0,
    flags,
    workspaces: values.workspaces,
    data: values.data,
    log: (line) => show({ value: line, text: String(Reflect.get(line, 'message')) }),
  };
}

function clientChoice(values: FleetValues): ClientChoice {
  return {
    tenant: values.tenant,
    key: values.key,
    by: values.by,
    message: values.message,
    after: numberOf('after', values) ?? 0,
    watch: values.watch ?? false,
    olderThan: values['older-than'],
    maxRunning: numberOf('max-running', values),
    perMinute: numberOf('per-minute', values),
    budgetUsd: numberOf('budget', values),
    rights: values.rights,
    expires: values.expires,
    waitSeconds: numberOf('wait', values) ?? 0,
    worker: numberOf('worker', values),
    scheduler: values.scheduler,
    repo: values.repo,
    ref: values.ref,
  };
}

type NumberFlag =
  | 'after'
  | 'concurrency'
  | 'wait'
  | 'budget'
  | 'park-after'
  | 'max-running'
  | 'per-minute'
  | 'port'
  | 'worker';

/** Throws a RangeError if the value is not a number. */
function numberOf(name: NumberFlag, values: FleetValues): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(value)) throw new RangeError(`--${name} takes a number, not ${value}`);
  return Number(value);
}

function printer(isJson: boolean): (report: Report) => void {
  return ({ value, text }) => {
    if (isJson) writeMessage(`${jsonText(value)}\n`);
    else if (text !== '') writeMessage(`${escapeControls(text)}\n`);
  };
}
