/** What is configured in a repository that could make a reading `git` command run a program. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface GitFacts {
  /** Names of settings and variables under which a program would be run. */
  readonly helpers: readonly string[];
  /** A repository inside it has a configuration of its own, which nobody looked at. */
  readonly submodules: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const MAX_BUFFER = 64 * 1024 * 1024;

/** Settings that name a program for the commands that the proof knows, or that make them fetch. */
const HELPERS =
  /^(diff\.external|diff\..+\.(command|textconv)|filter\..+\.(clean|smudge|process)|core\.fsmonitor|log\.showsignature|extensions\.partialclone|remote\..+\.(promisor|partialclonefilter))$/;

const VARIABLES = ['GIT_EXTERNAL_DIFF', 'GIT_TRACE2', 'GIT_TRACE'];

/** Undefined where it could not be found out; outside a repository there is nothing to find. */
export async function readGitFacts(
  directory: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<GitFacts | undefined> {
  const options = {
    cwd: directory,
    env: { ...environment },
    maxBuffer: MAX_BUFFER,
    ...(signal ? { signal } : {}),
  };
  try {
    const { stdout } = await run('git', ['config', '--list', '--includes', '-z'], options);
    const settings = stdout.split('\0').map((setting) => setting.split('\n', 2));
    const set = settings.filter(
      ([key = '', value]) => HELPERS.test(key) && value !== 'false' && value !== '',
    );
    const helpers = set.map(([key = '']) => key);
    const index = await run(
      'git',
      ['-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-z', '--', ':/'],
      options,
    ).catch(outsideRepository);
    return {
      helpers: [...helpers, ...VARIABLES.filter((name) => environment[name] !== undefined)],
      submodules: /(^|\0)160000 /.test(index.stdout),
    };
  } catch {
    return undefined;
  }
}

function outsideRepository(thrown: unknown): { readonly stdout: string } {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 128) return { stdout: '' };
  throw thrown;
}
