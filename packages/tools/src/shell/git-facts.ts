/** What is configured in a repository that could make a reading `git` command run a program. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface GitFacts {
  /** Names of settings, variables and hooks under which a program would be run. */
  readonly helpers: readonly string[];
  /** A repository inside it has a configuration of its own, which nobody looked at. */
  readonly submodules: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const MAX_BUFFER = 64 * 1024 * 1024;

/** Settings that name a program for the commands that the proof knows, or a file that they would write. */
const PROGRAMS =
  /^(diff\.external|diff\..+\.(command|textconv)|filter\..+\.(clean|smudge|process)|core\.virtualfilesystem|extensions\.partialclone|remote\..+\.partialclonefilter|trace2\..+target)$/;
/** Settings that switch one on: a file monitor, a signature checker, the transport that fetches missing objects. */
const SWITCHES = /^(core\.fsmonitor|log\.showsignature|status\.submodulesummary|remote\..+\.promisor)$/;
/** Formats can ask for a signature, too. */
const FORMATS = /^(format\.pretty|pretty\..+)$/;
const OFF: ReadonlySet<string> = new Set(['', 'false', 'no', 'off', '0']);

const VARIABLES = ['GIT_EXTERNAL_DIFF', 'GIT_TRACE2', 'GIT_TRACE2_EVENT', 'GIT_TRACE2_PERF', 'GIT_TRACE'];

/** Undefined where it could not be found out; outside a repository there is little to find. */
export async function readGitFacts(
  directory: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<GitFacts | undefined> {
  const git = async (...args: readonly string[]): Promise<string> => {
    const options = { cwd: directory, env: { ...environment }, maxBuffer: MAX_BUFFER };
    return (await run('git', args, signal ? { ...options, signal } : options)).stdout;
  };
  const inRepository = (...args: readonly string[]): Promise<string> => git(...args).catch(outsideRepository);
  try {
    const [settings, index, hook] = await Promise.all([
      git('config', '--list', '--includes', '-z'),
      inRepository('-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-z', '--', ':/'),
      // Runs whenever a reading command refreshes the index.
      inRepository('rev-parse', '--git-path', 'hooks/post-index-change'),
    ]);
    const helpers = settings
      .split('\0')
      .filter(namesHelper)
      .map((setting) => setting.split('\n', 1)[0] ?? '');
    if (hook !== '' && (await exists(path.resolve(directory, hook.trimEnd()))))
      helpers.push('hooks/post-index-change');
    helpers.push(...VARIABLES.filter((name) => environment[name] !== undefined));
    return { helpers, submodules: /(^|\0)160000 /.test(index) };
  } catch {
    return undefined;
  }
}

/** A setting is its name and its value on two lines; one without a value is switched on. */
function namesHelper(setting: string): boolean {
  const end = setting.indexOf('\n');
  const key = end < 0 ? setting : setting.slice(0, end);
  const value = end < 0 ? 'true' : setting.slice(end + 1);
  if (PROGRAMS.test(key)) return value !== '';
  if (SWITCHES.test(key)) return !OFF.has(value.toLowerCase());
  return FORMATS.test(key) && /%G|signature/.test(value);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function outsideRepository(thrown: unknown): string {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 128) return '';
  throw thrown;
}
