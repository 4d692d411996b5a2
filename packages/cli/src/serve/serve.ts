/** `heddle mcp serve`: offers the tools of Heddle to other MCP clients. Rules decide; there is no user to ask. */
import {
  isPrivateHostNamed,
  isToolDenied,
  LivePermissions,
  memorySession,
  systemClock,
  ToolRunner,
  VERSION,
  newUuid,
} from '@heddle/agent';
import type { DeclaredHook } from '@heddle/agent/hooks';
import { projectTop, sandboxSettings } from '@heddle/agent/settings';
import { serveTools } from '@heddle/mcp/serve';
import os from 'node:os';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { setVariables } from '../keys.ts';
import { knownSecrets, learnSecrets } from '../known-secrets.ts';
import { offered } from '../start/named-tools.ts';
import { openSandbox, openView } from '../start/open-sandbox.ts';
import { CommandFiles } from '../start/command-files.ts';
import { SessionHooks } from '../start/session-hooks.ts';
import { hookCommands } from '../permissions/named-files.ts';
import { readSessionSettings } from '../start/session-settings.ts';
import { sessionTools } from '../start/session-tools.ts';
import { fail, misuse, warn } from '../terminal/write-message.ts';

/** Tools that make sense without a conversation. */
const SERVED: ReadonlySet<string> = new Set([
  'Bash',
  'TaskOutput',
  'TaskStop',
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Glob',
  'Grep',
  'WebFetch',
]);

const READ_ONLY: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'TaskOutput']);

const WORD = 'serve';

const MISSING_HOOKS =
  'Hooks cannot be loaded. No call runs without them. Repair the places above, and start again.';

/** Takes the flags of `heddle -p` that concern tools, rules and settings. */
export async function serveCommand(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(['-p', WORD, ...argv]);
  if (!parsed.ok) return misuse(parsed.message);
  const { command } = parsed;
  if (command.name !== 'print' || command.prompt !== WORD)
    return misuse('mcp serve takes flags only, such as --allowed-tools and --tools.');
  return serve(command);
}

async function serve(given: PrintCommand): Promise<number> {
  const cwd = process.cwd();
  const read = await readSessionSettings(given);
  if (!read.ok) return misuse(read.message);
  const { command, permission, configFiles } = read;
  for (const note of [...read.notes, ...read.hooks.notes]) warn(note);
  // A conversation shows the notes to its user. Here no user would notice that calls run unguarded.
  if (read.hooks.missing.length > 0) return fail(MISSING_HOOKS);
  const { loaded, directories, configDirs, mode } = permission;
  setVariables(read.settings.env);
  learnSecrets();
  const rules = new LivePermissions(permission.rules, directories, {
    mayBypass: command.mayBypass && !permission.forbidsBypass,
  });
  const settings = sandboxSettings(loaded, os.homedir());
  const opened = await openSandbox(
    settings,
    { cwd, rules, configDirs, configFiles },
    { ask: undefined, notify: warn },
  );
  if (!opened.ok) return misuse(opened.message);
  const { sandbox } = opened;
  const view = openView(settings);
  const session = memorySession(newUuid(), systemClock.now);
  const commandFiles = filesOfHooks(cwd, rules, () => hooks.list());
  const hooks: SessionHooks = new SessionHooks({
    declared: read.hooks.declared,
    othersInactive: read.hooks.othersInactive,
    cwd,
    source: 'startup',
    commonInput: () => ({ session_id: session.id, transcript_path: '', permission_mode: rules.mode ?? mode }),
    instructionFiles: () => [],
    messages: () => [],
    notify: warn,
    remark: () => undefined,
    entitle: () => undefined,
    beforePrompt: () => Promise.resolve(),
    commandFiles,
  });
  commandFiles.remember();
  const { options, dispose } = await sessionTools(session, {
    isOffered: (name) => SERVED.has(name) && offered(name, command, rules),
    named: [...SERVED],
    allowsPrivate: (host) => isPrivateHostNamed(host, rules.rules),
    sandbox,
    view,
  });
  const runner = new ToolRunner({
    cwd,
    mode,
    tools: options.tools,
    rules,
    configDirs,
    configFiles,
    commandEnvironment: options.commandEnvironment,
    sandbox,
    view,
    hooks: hooks.forAgent(),
    redact: (value) => knownSecrets.redactValue(value),
  });
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end.abort());
  await serveTools(
    {
      version: VERSION,
      instructions: `Tools for files, commands and the web, in the folder ${cwd}. A call needs a rule that allows it.`,
      tools: options.tools.filter(({ name }) => !isToolDenied(name, rules.rules)),
      readOnly: READ_ONLY,
      call: (call) => runner.call(call),
    },
    end.signal,
  );
  await hooks.end('other');
  await dispose();
  await sandbox?.dispose();
  return 0;
}

/** There are no prompts here, so the files count as they are when the server starts. */
function filesOfHooks(
  cwd: string,
  rules: LivePermissions,
  declared: () => readonly DeclaredHook[],
): CommandFiles {
  const repository = projectTop(cwd);
  return new CommandFiles({
    commands: () => hookCommands(declared()),
    places: () => ({ cwd, directories: rules.directories, repository }),
    appliesWhen: 'when this server starts again',
  });
}
