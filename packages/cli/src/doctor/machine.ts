/** The checks of `heddle doctor`: the platform, the programs, the settings and the models. */
import { settingsHooks } from '@heddle/agent/hooks';
import { VERSION } from '@heddle/agent';
import { checkSandbox } from '@heddle/agent/sandbox';
import { appliedSettings, valueAt } from '@heddle/agent/settings';
import { chooseModel, findModel, type ListedProvider, listProviders } from '@heddle/models';
import { findLeftovers, findProgram, findRipgrep } from '@heddle/tools';
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { effectiveSettings } from '../config/effective.ts';
import { missingView } from '../start/open-sandbox.ts';
import { modelKinds } from '../models/kinds.ts';
import { GET_A_MODEL, NO_MODEL, TRY_WITHOUT_KEY } from '../models/no-model.ts';
import { NO_FLAGS, permissionSetup } from '../permissions/setup.ts';
import { pluralize } from '../terminal/amounts.ts';

const run = promisify(execFile);
const PATIENCE_MS = 5_000;
const OLDEST_NODE = [22, 18] as const;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  if (major > least || (major === least && minor >= leastMinor))
    return ok('program', `Heddle ${VERSION} on Node ${version}`);
  return problem('program', `Node ${version} is too old`, `install Node ${least}.${leastMinor} or newer`);
}

export async function checkSearch(): Promise<Finding> {
  const program = await findRipgrep();
  if (program !== undefined) return ok('search', `ripgrep at ${program}`);
  return hint(
    'search',
    'ripgrep was not found; Grep and Glob use a slower search',
    'install ripgrep (the package is called ripgrep in most distributions)',
  );
}

export async function checkGit(): Promise<Finding> {
  const git = findProgram(process.env['PATH'], 'git');
  try {
    if (git === undefined) throw new Error('There is no git.');
    const { stdout } = await run(git, ['--version'], {
      timeout: PATIENCE_MS,
      cwd: path.parse(process.cwd()).root,
    });
    return ok('git', stdout.trim());
  } catch {
    return hint(
      'git',
      'git was not found',
      'install git, so that the model sees the state of the repository',
    );
  }
}

/** Checks the config folder, which contains the sessions. A session that cannot be written is lost. */
export function checkFolder(folder: string): Finding[] {
  const existing = nearest(folder);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return [
      problem(
        'folder',
        `${folder} cannot be written`,
        'change its permissions, or set HEDDLE_CONFIG_DIR to another folder',
      ),
    ];
  }
  return [ok('folder', existing === folder ? folder : `${folder} (does not exist yet)`), checkDisk(existing)];
}

const LITTLE_SPACE = 1024 ** 3;
/** With less space, a session may fail to start. */
const NO_SPACE = 4 * 1024 ** 2;

function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free for sessions`;
  if (free >= LITTLE_SPACE) return ok('disk', text);
  if (free < NO_SPACE)
    return problem(
      'disk',
      'the disk is full',
      'free space, or set HEDDLE_CONFIG_DIR to a folder on another disk',
    );
  return hint('disk', text, 'free space, or delete old sessions with: heddle sessions prune');
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(path.dirname(folder));
}

/** The result of one check. */
export interface Finding {
  readonly about: string;
  /** `problem`: a requested feature cannot work. `hint`: everything works, but could work better. */
  readonly state: 'ok' | 'hint' | 'problem';
  readonly text: string;
  /** The advice to the user. */
  readonly remedy?: string;
}

function ok(about: string, text: string): Finding {
  return { about, state: 'ok', text };
}

function hint(about: string, text: string, remedy: string): Finding {
  return { about, state: 'hint', text, remedy };
}

export function problem(about: string, text: string, remedy: string): Finding {
  return { about, state: 'problem', text, remedy };
}

export async function checkView(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const isOff = valueAt(effectiveSettings(cwd, env).merged, ['sandbox', 'readOnlyView']) === 'off';
  if (isOff)
    return hint(
      'reading',
      VIEW_OFF,
      'switch the read-only view on with: heddle config set sandbox.readOnlyView auto',
    );
  const missing = await missingView();
  if (missing === undefined) return ok('reading', VIEW_ON);
  return hint('reading', missing, 'on Linux, install bubblewrap');
}

const VIEW_ON =
  'commands that are proven to only read run in a read-only view, and permitted edits by commands in a view for edits';
const VIEW_OFF =
  'the read-only view is switched off; proven commands and permitted edits by commands run without a second safeguard';

export async function checkSandboxing(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const check = await checkSandbox();
  const isOn = valueAt(effectiveSettings(cwd, env).merged, ['sandbox', 'enabled']) === true;
  if (check.available)
    return ok('sandbox', isOn ? 'on' : 'possible; switch it on with: heddle config set sandbox.enabled true');
  if (isOn)
    return problem(
      'sandbox',
      check.reason,
      check.install ??
        'commands are rejected until the sandbox works or is switched off: heddle config set sandbox.enabled false',
    );
  return hint('sandbox', check.reason, check.install ?? 'permission rules alone decide about commands here');
}

export function checkLeftovers(configDir: string): Finding {
  const left = tasksFolders(configDir).flatMap((folder) => findLeftovers(folder));
  if (left.length === 0) return ok('commands', 'no command of an earlier run is still running');
  const commands = left.map(({ command, pids }) => `${command} (process ${pids.join(', ')})`).join('; ');
  return hint(
    'commands',
    `commands of a crashed run are still running: ${commands}`,
    'resume that session, which ends them, or end the processes yourself',
  );
}

function tasksFolders(configDir: string): string[] {
  const projects = path.join(configDir, 'projects');
  return folders(projects).flatMap((project) =>
    folders(path.join(projects, project)).map((session) => path.join(projects, project, session, 'tasks')),
  );
}

function folders(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

export async function checkSettingsFiles(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const setup = await permissionSetup(NO_FLAGS, cwd, env);
  const { loaded, mode, rules, problems, doubts, leftOut, modeRefused } = setup;
  const hooks = settingsHooks(loaded);
  const count = rules.allow.length + rules.ask.length + rules.deny.length;
  const read = ok(
    'settings',
    `${pluralize(loaded.files.length, 'file')}, ${pluralize(count, 'rule')}, mode ${mode}`,
  );
  return [
    ...(problems.length === 0 ? [read] : []),
    ...problems.map((text) => problem('settings', text, 'fix the file; heddle config path lists the files')),
    ...doubts.map((text) =>
      hint('rules', text, 'the rule is kept; if it is misspelled, correct it in the file'),
    ),
    ...hooks.problems.map((text) => problem('hooks', text, 'fix the hook; the others run')),
    ...modeRefused.map((text) => hint('mode', text, 'choose another defaultMode: heddle config path')),
    ...leftOut.map((text) => hint('trust', text, 'heddle permissions trust')),
  ];
}

/** Finds the model like a run does: the settings may name a model or contain a key. */
export async function checkModels(cwd: string, env: NodeJS.ProcessEnv, inUse?: string): Promise<Finding[]> {
  const settings = appliedSettings((await permissionSetup(NO_FLAGS, cwd, env)).loaded);
  const environment = { ...env, ...settings.env };
  const [providers, usual] = await Promise.all([
    listProviders(environment),
    findModel(environment, settings.model),
  ]);
  const usable = providers
    .filter(({ isUsable }) => isUsable)
    .map(({ name, because }) => `${name}${because ? ` (${because})` : ''}`);
  return [
    inUse === undefined
      ? await checkUsual(usual, providers, environment)
      : ok('model', `${inUse}, in this conversation`),
    ...(usable.length === 0 ? [] : [ok('providers', usable.join(', '))]),
  ];
}

async function checkUsual(
  usual: string | undefined,
  providers: readonly ListedProvider[],
  environment: NodeJS.ProcessEnv,
): Promise<Finding> {
  if (usual === undefined) return problem('model', NO_MODEL, `${GET_A_MODEL}; ${TRY_WITHOUT_KEY}`);
  const chosen = await chooseModel(usual, modelKinds, { environment });
  if (!chosen.ok) return problem('model', chosen.message, CHOOSE_ANOTHER);
  const provider = providers.find(({ id }) =>
    id === 'anthropic' ? chosen.name.startsWith('claude-') : chosen.name.startsWith(`${id}/`),
  );
  if (provider && !provider.isUsable)
    return provider.problem === undefined
      ? problem('model', `${usual} cannot be used yet`, provider.advice ?? 'see heddle models')
      : problem('model', provider.problem, CHOOSE_ANOTHER);
  return ok('model', `${usual} when none is named`);
}

const CHOOSE_ANOTHER = 'see heddle models, or choose another model with --model';
