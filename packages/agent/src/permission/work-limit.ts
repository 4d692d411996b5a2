/**
 * Limits the work of one decision. Looks at the disk and long comparisons count as steps, also if their results are
 * cached. A call that needs more steps is not examined to its end. It counts as a command that cannot be read.
 */
import type { PermissionWorld } from './world.ts';

/** A step takes a few microseconds on a slow machine, so a decision stays below 50 ms. */
const MOST_STEPS = 10_000;

/**
 * The reason for a question about a call that needs more steps. The number is written out, because the first call of
 * `toLocaleString` takes 20 to 35 ms, and this file loads with the first tool call of every session.
 */
export const TOO_MUCH_WORK = 'to check it takes more than 10,000 steps';

class WorkLimitReached extends Error {}

/** Calls `decide` with a world that counts its steps. Returns undefined if it needs too many. */
export function withinWorkLimit<Answer>(
  world: PermissionWorld,
  decide: (limited: PermissionWorld) => Answer,
): Answer | undefined {
  let left = MOST_STEPS;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new WorkLimitReached();
  };
  try {
    return decide(countingWorld(world, spend));
  } catch (thrown) {
    if (thrown instanceof WorkLimitReached) return undefined;
    throw thrown;
  }
}

/** Steps of the first look at a path. Later looks at the same path take one step. */
const STEPS_OF_LOOK = {
  realpath: 5,
  passesProcess: 4,
  exists: 3,
  list: 8,
  exceptionsIn: 40,
  openedIn: 18,
  firstLine: 4,
  repository: 20,
  gitIn: 60,
  nestedRepositories: 200,
  nestedLinks: 100,
};
/** The number of names in a folder that take one step. */
const NAMES_PER_STEP = 16;

/** A missing path is followed segment by segment, and each time the rest of the path is copied. */
function stepsOfSegments(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) segments++;
  // After `..`, every segment is followed again.
  const climbing = path.includes('..') ? 3 * segments : 0;
  return Math.floor(segments / 2 + segments ** 2 / 16) + climbing;
}

/** Answers are cached here, so that the number of steps does not depend on earlier decisions. */
function countingWorld(world: PermissionWorld, spend: (steps: number) => void): PermissionWorld {
  const counted = <Result>(
    look: (path: string) => Result,
    steps: number,
    sizeOf: (result: Result) => number = () => 0,
  ): ((path: string) => Result) => {
    const answers = new Map<string, { readonly answer: Result }>();
    return (path) => {
      spend(1);
      const known = answers.get(path);
      if (known) return known.answer;
      spend(steps + stepsOfSegments(path));
      const answer = look(path);
      spend(Math.floor(sizeOf(answer) / NAMES_PER_STEP));
      answers.set(path, { answer });
      return answer;
    };
  };
  const { passesProcess, exceptionsIn, openedIn, openedByGit, namedEntries, repositoryPrograms, isProgram } =
    world;
  const {
    namedByGitFile,
    namedByCommonDir,
    leftByLinks,
    linksInTexts,
    nestedRepositories,
    nestedLinks,
    gitSettings,
    mayShowChanges,
    repositoriesAt,
  } = world;
  const lengthOf = (names: readonly unknown[] | undefined): number => names?.length ?? 0;
  return {
    ...world,
    spend,
    realpath: counted(world.realpath, STEPS_OF_LOOK.realpath),
    exists: counted(world.exists, STEPS_OF_LOOK.exists),
    list: counted(world.list, STEPS_OF_LOOK.list, lengthOf),
    entries: counted(world.entries, STEPS_OF_LOOK.list, lengthOf),
    entriesUncounted: world.entries,
    repository: counted(world.repository, STEPS_OF_LOOK.repository),
    gitIn: counted(world.gitIn, STEPS_OF_LOOK.gitIn),
    ...(namedEntries && { namedEntries: counted(namedEntries, STEPS_OF_LOOK.list, lengthOf) }),
    ...(repositoryPrograms && { repositoryPrograms: counted(repositoryPrograms, STEPS_OF_LOOK.gitIn) }),
    ...(repositoriesAt && { repositoriesAt: counted(repositoriesAt, STEPS_OF_LOOK.repository) }),
    ...(gitSettings && { gitSettings: counted(gitSettings, STEPS_OF_LOOK.gitIn) }),
    ...(nestedRepositories && {
      nestedRepositories: counted(nestedRepositories, STEPS_OF_LOOK.nestedRepositories),
    }),
    ...(nestedLinks && { nestedLinks: counted(nestedLinks, STEPS_OF_LOOK.nestedLinks, lengthOf) }),
    ...(mayShowChanges && { mayShowChanges: counted(mayShowChanges, STEPS_OF_LOOK.exceptionsIn) }),
    ...(openedIn && { openedIn: counted(openedIn, STEPS_OF_LOOK.openedIn, lengthOf) }),
    ...(namedByGitFile && { namedByGitFile: counted(namedByGitFile, STEPS_OF_LOOK.firstLine) }),
    ...(namedByCommonDir && { namedByCommonDir: counted(namedByCommonDir, STEPS_OF_LOOK.firstLine) }),
    ...(openedByGit && { openedByGit: counted(openedByGit, STEPS_OF_LOOK.gitIn, lengthOf) }),
    ...(isProgram && { isProgram: counted(isProgram, STEPS_OF_LOOK.exists) }),
    ...(leftByLinks && { leftByLinks: counted(leftByLinks, STEPS_OF_LOOK.passesProcess, lengthOf) }),
    ...(linksInTexts && { linksInTexts: counted(linksInTexts, STEPS_OF_LOOK.passesProcess, lengthOf) }),
    ...(passesProcess && { passesProcess: counted(passesProcess, STEPS_OF_LOOK.passesProcess) }),
    ...(exceptionsIn && { exceptionsIn: counted(exceptionsIn, STEPS_OF_LOOK.exceptionsIn, lengthOf) }),
  };
}
