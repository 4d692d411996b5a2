/** The entry point of the program. It imports only what every start needs; each command is loaded when it runs. */
import { readArguments } from './arguments/arguments.ts';
import type { CommandName } from './arguments/program-commands.ts';
import { settleHome, wrongConfigDir } from './config-dir.ts';
import { takeKeys } from './keys.ts';
import { restoreNodeVariables } from './start/node-variables.ts';
import { fail, misuse, writeMessage } from './terminal/write-message.ts';

type RunCommand = (argv: readonly string[]) => Promise<number>;

/** Loads a command when it is called. It reads its own arguments and returns the exit code. */
const COMMANDS: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  answer: async () => (await import('./jobs/jobs-command.ts')).answerCommand,
  attach: async () => (await import('./jobs/job-log.ts')).attachCommand,
  completions: async () => (await import('./completions/completions.ts')).completions,
  config: async () => (await import('./config/config.ts')).config,
  demo: async () => (await import('./demo/demo.ts')).runDemo,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  fleet: async () => (await import('./fleet/fleet-command.ts')).fleetCommand,
  hooks: async () => (await import('./hooks/hooks-command.ts')).hooksCommand,
  import: async () => (await import('./sessions/import.ts')).importCommand,
  jobs: async () => (await import('./jobs/jobs-command.ts')).jobsCommand,
  logs: async () => (await import('./jobs/job-log.ts')).logsCommand,
  mcp: async () => mcpOrServe,
  models: async () => (await import('./models/list.ts')).printModels,
  permissions: async () => (await import('./permissions/permissions.ts')).permissionsCommand,
  replay: async () => (await import('./replay/replay.ts')).replayCommand,
  rewind: async () => (await import('./rewind/rewind.ts')).rewindCommand,
  run: async () => (await import('./jobs/start-job.ts')).runCommand,
  schedule: async () => (await import('./schedule/schedule-command.ts')).scheduleCommand,
  sessions: async () => (await import('./sessions/sessions.ts')).sessionsCommand,
  stop: async () => (await import('./jobs/jobs-command.ts')).stopCommand,
  team: async () => (await import('./team/team-command.ts')).teamCommand,
  view: async () => (await import('./view/view.ts')).viewCommand,
};

/** `heddle mcp serve` starts tools like a conversation does. The other words only concern the configuration. */
async function mcpOrServe(argv: readonly string[]): Promise<number> {
  const [word, ...rest] = argv;
  if (word === 'serve') return (await import('./serve/serve.ts')).serveCommand(rest);
  return (await import('./mcp/mcp-command.ts')).mcpCommand(argv);
}

restoreNodeVariables(process.env);
settleHome(process.env);
takeKeys();
const parsed = readArguments(process.argv.slice(2));
void run();

async function run(): Promise<void> {
  // If the promise never settles, Node exits with this code.
  process.exitCode = 1;
  process.exitCode = await dispatch().catch(reportError);
}

async function dispatch(): Promise<number> {
  if (!parsed.ok) return misuse(parsed.message);
  const { command } = parsed;
  if (command.name !== 'version' && command.name !== 'help') {
    if (!hasWorkingFolder()) return fail('The working folder was deleted. Change to a folder that exists.');
    const wrong = wrongConfigDir(process.env);
    if (wrong !== undefined) return misuse(wrong);
  }
  switch (command.name) {
    case 'version': {
      const { default: manifest } = await import('../package.json', { with: { type: 'json' } });
      writeMessage(`${manifest.version} (Heddle)\n`);
      return 0;
    }
    case 'help':
      writeMessage((await import('./help/help.ts')).helpText(process.stdout.columns));
      return 0;
    case 'own':
      return runCommand(command.command, command.argv);
    case 'chat':
      return (await import('./conversation/chat.ts')).chat(command);
    case 'print':
      return (await import('./headless/print.ts')).print(command);
  }
}

async function runCommand(name: CommandName, argv: readonly string[]): Promise<number> {
  if (!asksForHelp(argv)) return (await COMMANDS[name]())(argv);
  const { commandHelp } = await import('./help/help.ts');
  return commandHelp(name, async () => (await COMMANDS[name]())(['help']));
}

/** Accepts `help` only as the single argument, because it may also be a title, a value or a search term. */
function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv[0] === '-h' || argv.join(' ') === 'help';
}

/** Reports an unexpected error. The message of a system error is enough; any other error is a bug and gets its stack. */
function reportError(thrown: unknown): number {
  const { message, stack = '' } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isSystemError = thrown instanceof Error && 'syscall' in thrown;
  return fail(isSystemError ? message : `Internal error. This is a bug in Heddle:\n${stack}`);
}

/** Without a working folder, no settings, sessions or files can be found. */
function hasWorkingFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}
