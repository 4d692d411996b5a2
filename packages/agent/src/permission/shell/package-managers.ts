/**
 * Package managers: the words after which they run a command, and the words that are commands of their own. Some of them run every
 * other word as a command: `pnpm jest` is `pnpm exec jest`.
 */

interface PackageManager {
  readonly programs: RegExp;
  /** A command follows these words. */
  readonly runs: RegExp;
  /** A name follows these words, and then a command. */
  readonly runsIn?: RegExp;
  /** Set if the manager runs an unknown first word as a command. */
  readonly first?: FirstWords;
}

interface FirstWords {
  /** Commands of the manager itself, and of scripts with a fixed name. */
  readonly own: ReadonlySet<string>;
  /** Options whose value is the next word. */
  readonly valued: RegExp;
  /** Another command of the manager follows these words. */
  readonly passed: RegExp;
  /** A name follows these words, and then another command of the manager. */
  readonly passedWithName: RegExp;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** npm accepts the beginnings of its commands. */
const EXPLORE = /^explo(re?)?$/;

/** A command follows these words of every manager. */
const SEPARATOR = /^(--|-c|--call|--command)$/;

const MANAGERS: readonly PackageManager[] = [
  { programs: /^npm$/, runs: /^(x|exec?)$/, runsIn: EXPLORE },
  {
    programs: /^pnpm$/,
    runs: /^(exec?|x|dlx)$/,
    first: {
      own: words(
        'add import install i link ln prune rebuild rb remove rm uninstall un unlink dislink update up upgrade patch patch-commit ' +
          'patch-remove fetch install-test it dedupe audit licenses list ls la ll outdated why ignored-builds approve-builds run ' +
          'run-script test t tst start restart stop create env publish pack deploy server setup root bin init config c get set doctor ' +
          'store cat-file cat-index find-hash cache self-update completion access adduser author bugs deprecate dist-tag docs edit ' +
          'find help home info issues login logout owner ping prefix profile pkg repo s se search set-script show star stars team ' +
          'token unpublish unstar v version view whoami xmas',
      ),
      valued: /^(-C|--dir|-F|--filter(-prod)?|--workspace-concurrency|--reporter|--loglevel|--resume-from)$/,
      passed: /^(recursive|multi|m)$/,
      passedWithName: /^$/,
    },
  },
  {
    programs: /^yarn(pkg)?$/,
    runs: /^(exec|x|dlx|run)$/,
    first: {
      own: words(
        'add audit autoclean bin cache check config constraints create dedupe explain generate-lock-entry global help import info init ' +
          'install licenses link list login logout npm outdated owner pack patch patch-commit plugin policies publish rebuild remove ' +
          'restart search set stage start stop tag team test unlink unplug up upgrade upgrade-interactive version versions why',
      ),
      valued:
        /^(--cwd|--(modules|cache|global|links|preferred-cache)-folder|--mutex|--registry|--network-\w+)$/,
      passed: /^(workspaces|foreach)$/,
      passedWithName: /^(workspace|--(from|include|exclude|jobs|since)|-j)$/,
    },
  },
  {
    programs: /^bun$/,
    runs: /^(exec|x|run)$/,
    first: {
      own: words(
        'test repl install i add a remove rm update audit outdated link unlink publish patch patch-commit pm info build init ' +
          'create c upgrade why completions discord',
      ),
      valued:
        /^(--cwd|-F|--filter|-c|--config|--env-file|--preload|-r|--require|--import|-e|--eval|-p|--print)$/,
      passed: /^$/,
      passedWithName: /^$/,
    },
  },
  { programs: /^bundler?$/, runs: /^(e|ex|exe|exec)$/ },
];

/** Options without a value. The word after another option may be its value. */
const FLAG =
  /^(-[rwDPOEgsyqiA]+|-(ws|it)|--[\w-]+=.*|--(recursive|workspace-root|workspaces|silent|quiet|verbose|json|long|yes|force|offline|prefer-offline|parallel|stream|aggregate-output|color|bail|if-present|global|dev|prod|production|optional|peer|exact|tilde|save(-dev|-prod|-exact|-optional|-peer)?|frozen-lockfile|lockfile-only|fix-lockfile|ignore-scripts|ignore-workspace|shamefully-hoist|strict-peer-dependencies|interactive|latest|bun|watch|hot|smol|immutable|check-files|non-interactive|flat|all|verbose|no-[\w-]+))$/;

/** The beginning of a command in the words of a package manager. */
export interface ManagerCommand {
  /** The position of the first word that may be the command. */
  readonly from: number;
  /** The number of names before it. */
  readonly names: 0 | 1;
}

/** Returns the words after which a package manager runs a command, or undefined for another program. */
export function findPackageManager(program: string): PackageManager | undefined {
  return MANAGERS.find(({ programs }) => programs.test(program));
}

export function isPackageManager(program: string): boolean {
  return findPackageManager(program) !== undefined;
}

/** Returns the position of the command that a package manager runs, or undefined. */
export function commandOfManager(program: string, values: readonly string[]): ManagerCommand | undefined {
  const manager = findPackageManager(program);
  if (manager === undefined) return undefined;
  const { runs, runsIn, first } = manager;
  const at = values.findIndex(
    (value, index) =>
      index > 0 && (SEPARATOR.test(value) || runs.test(value) || runsIn?.test(value) === true),
  );
  const unknown = first && firstUnknown(values, first);
  if (unknown !== undefined && (at < 0 || unknown < at)) return { from: unknown, names: 0 };
  return at < 0 ? undefined : { from: at + 1, names: runsIn?.test(values[at] ?? '') ? 1 : 0 };
}

/** Returns the position of the first word that is neither an option, nor a value of one, nor a command of the manager. */
function firstUnknown(values: readonly string[], first: FirstWords): number | undefined {
  for (let at = 1; at < values.length; at++) {
    const value = values[at] ?? '';
    if (first.valued.test(value) || first.passedWithName.test(value)) at++;
    else if (value.startsWith('-') || value === '' || first.passed.test(value)) continue;
    else if (!first.own.has(value)) return at;
    else {
      const before = at > 1 ? (values[at - 1] ?? '') : '';
      if (!/^-./.test(before) || FLAG.test(before)) return undefined;
    }
  }
  return undefined;
}

/** Words with which the command runs in the folder of a package. */
const IN_PACKAGE =
  /^(-w|-ws|-r|-F|--(workspaces?|recursive|filter(-prod)?|prefix|cwd|dir)(=.*)?|workspaces?|foreach|recursive)$/;

/** Returns whether the command of a package manager may run in another folder. */
export function runsInPackage(program: string, args: readonly string[]): boolean {
  if (!isPackageManager(program)) return false;
  return args.some((value) => IN_PACKAGE.test(value) || (program === 'npm' && EXPLORE.test(value)));
}
