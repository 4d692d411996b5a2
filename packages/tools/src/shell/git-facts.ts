/** What is configured in a repository that could make a reading `git` command run a program. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dependenciesOf, isStillSame, type Remembered, stampsOf } from './git-stamps.ts';

export interface GitFacts {
  /** Names of settings, variables and hooks under which a program would be run. */
  readonly helpers: readonly string[];
  /** A repository inside it has a configuration of its own, which nobody looked at. */
  readonly submodules: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const MAX_BUFFER = 64 * 1024 * 1024;
/** A disk that does not answer must not hold up a decision: what is not known is not proven. */
const TIMEOUT_MS = 5_000;

/** Settings that name a program for the commands that the proof knows, or a file that they would write. */
const PROGRAMS =
  /^(diff\.external|diff\..+\.(command|textconv)|filter\..+\.(clean|smudge|process)|core\.virtualfilesystem|extensions\.partialclone|remote\..+\.partialclonefilter|trace2\..+target)$/;
/** Settings that switch one on: a file monitor, a signature checker, the transport that fetches missing objects. */
const SWITCHES = /^(core\.fsmonitor|log\.showsignature|status\.submodulesummary|remote\..+\.promisor)$/;
/** Formats can ask for a signature, too. */
const FORMATS = /^(format\.pretty|pretty\..+)$/;
const OFF: ReadonlySet<string> = new Set(['', 'false', 'no', 'off', '0']);

const VARIABLES = ['GIT_EXTERNAL_DIFF', 'GIT_TRACE2', 'GIT_TRACE2_EVENT', 'GIT_TRACE2_PERF', 'GIT_TRACE'];

const remembered = new Map<string, Remembered<GitFacts>>();
const MOST_REMEMBERED = 20;

/**
 * Undefined where it could not be found out; outside a repository there is little to find. A call asks several times on its
 * way: the answer is remembered as long as every file that it came from, or could have come from, is as it was.
 */
export async function readGitFacts(
  directory: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<GitFacts | undefined> {
  const steering = Object.entries(environment).filter(([name]) => STEERS.test(name));
  const key = JSON.stringify([directory, steering.sort(([a], [b]) => (a < b ? -1 : 1))]);
  const known = remembered.get(key);
  if (known && isStillSame(known, directory)) return known.facts;
  remembered.delete(key);
  const began = Date.now();
  const answers = await ask(directory, environment, signal);
  if (!answers) return undefined;
  const { settings, index, paths } = answers;
  const dependencies = dependenciesOf({ directory, environment, settings, paths });
  const facts: GitFacts = {
    helpers: [
      ...settings.filter(namesHelper).map(({ key: name }) => name),
      ...(dependencies.hasHook ? ['hooks/post-index-change'] : []),
      ...VARIABLES.filter((name) => environment[name] !== undefined),
    ],
    submodules: /(^|\0)160000 /.test(index),
  };
  const stamps = stampsOf(dependencies, began);
  if (stamps) {
    for (const oldest of remembered.keys()) {
      if (remembered.size < MOST_REMEMBERED) break;
      remembered.delete(oldest);
    }
    remembered.set(key, { facts, ...stamps });
  }
  return facts;
}

/** Variables that lead git to other files. */
const STEERS = /^(GIT_.*|HOME|XDG_CONFIG_HOME|PATH|PREFIX)$/;

export interface Setting {
  /** The file it stands in; empty where it stands in none. */
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** Files of the repository that the answer depends on; empty outside of one. */
const ASKED_PATHS = ['hooks/post-index-change', 'config', 'config.worktree', 'HEAD', 'index', 'commondir'];

async function ask(
  directory: string,
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<
  | { readonly settings: readonly Setting[]; readonly index: string; readonly paths: readonly string[] }
  | undefined
> {
  const options = { cwd: directory, env: { ...environment }, maxBuffer: MAX_BUFFER, timeout: TIMEOUT_MS };
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, signal ? { ...options, signal } : options)).stdout;
  const inRepository = (...args: readonly string[]): Promise<string> => git(...args).catch(outsideRepository);
  try {
    const [settings, index, paths] = await Promise.all([
      git('config', '--list', '--includes', '--show-origin', '-z'),
      inRepository('-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-z', '--', ':/'),
      inRepository('rev-parse', ...ASKED_PATHS.flatMap((name) => ['--git-path', name]), '--show-cdup'),
    ]);
    return {
      settings: settingsIn(settings),
      index,
      paths: paths === '' ? [] : paths.replace(/\n$/, '').split('\n'),
    };
  } catch {
    return undefined;
  }
}

/** Two fields each: where it stands, then its name and its value on two lines; one without a value is switched on. */
function settingsIn(listed: string): Setting[] {
  const fields = listed.split('\0');
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at] ?? '';
    const setting = fields[at + 1] ?? '';
    const end = setting.indexOf('\n');
    settings.push({
      origin: origin.startsWith('file:') ? origin.slice('file:'.length) : '',
      key: end < 0 ? setting : setting.slice(0, end),
      value: end < 0 ? 'true' : setting.slice(end + 1),
    });
  }
  return settings;
}

function namesHelper({ key, value }: Setting): boolean {
  if (PROGRAMS.test(key)) return value !== '';
  if (SWITCHES.test(key)) return !OFF.has(value.toLowerCase());
  return FORMATS.test(key) && /%G|signature/.test(value);
}

function outsideRepository(thrown: unknown): string {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 128) return '';
  throw thrown;
}
