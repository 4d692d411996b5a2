/**
 * Finds the options of one letter in a word with one dash. The word may also be one long name: `-sXPOST` is three options of curl
 * and `-skip` one of go.
 */

interface OptionLetter {
  readonly letter: string;
  /** The rest of the word, if it is the value of the letter. */
  readonly attached: string | undefined;
  /** The next word cannot be its value. */
  readonly isAlone: boolean;
}

/** Words with one dash are whole names. The letters are those whose value may be in the same word: `-DskipTests`. */
const WHOLE_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(mvnw?|mvnd)(\.cmd)?$/, 'DPT'],
  [/^gradlew?(\.bat)?$/, 'DPxp'],
  [/^(go|gofmt|goimports|gofumpt|shfmt|staticcheck|terraform|tofu|packer|vault|consul|nomad)$/, ''],
  [/^(java|javac|javadoc|jshell|jdb|kotlinc?|scalac?|groovyc?|sbt|ant|ghc)$/, 'DX'],
  [/^(cmake|ctest|cpack)$/, 'BSCDGUAT'],
  [/^([\w.-]+-)?(cc|gcc|g\+\+|c\+\+|clang|clang\+\+|ld|lld|nvcc|swiftc|gfortran)(-[\d.]+)?$/, 'oxBTD'],
  [/^(g?find|openssl|ffmpeg|ffprobe|ffplay|convert|magick|identify|mogrify|qemu-[\w-]+)$/, ''],
  [/^(tsc|xcodebuild|clang-format|clang-tidy|xmllint|adb|emulator|nasm)$/, ''],
];

/** Words with one dash are letters. These letters always take the rest of the word, or the next word. */
const CLUSTERS: readonly (readonly [RegExp, string])[] = [
  [/^(kubectl|oc)$/, 'oflcskLpn'],
  [/^helm$/, 'foln'],
  [/^(docker|podman|nerdctl|docker-compose)$/, 'evpwuhlmcaf'],
  [/^(gh|glab)$/, 'XHFfqtRLbBal'],
  [/^git$/, 'cCmFSUGO'],
  [/^(apt(-get|itude|-cache)?)$/, 'oct'],
  [/^(npm|pnpm|yarn|bun|npx|pnpx|bunx)$/, 'wCF'],
  [/^(cargo|rustc|rustup)$/, 'pjFZLlC'],
  [/^(pip3?|uv|uvx|poetry|pipenv)$/, 'rceitf'],
  [/^(python|pypy|node|deno|tsx|bash|sh|zsh|dash|ksh|perl|ruby|php)[\d.]*$/, 'cemrIMoWX'],
  [/^(journalctl|systemctl|systemd-run)$/, 'HMnpstuo'],
  [/^(mysql|mysqldump|mariadb)$/, 'uhPDeS'],
];

/** The same, and every other letter has no value. */
const KNOWN_CLUSTERS: readonly (readonly [RegExp, string])[] = [
  [/^curl$/, 'AbcCdDeEFhHKmoPQrtTuUwxXyYz'],
  [/^wget$/, 'oaietOTwQPUlADIRXB'],
  [/^(make|gmake)$/, 'CfIjlOoW'],
  [/^(g|bsd)?tar$/, 'fCTXbgKLNVHIF'],
  [/^rsync$/, 'efTBM'],
  [/^g?ls$/, 'IwT'],
  [/^[efgz]?grep$/, 'efmABCDd'],
  [/^rg$/, 'efgtTjmABCMrEd'],
  [/^g?sort$/, 'koStT'],
  [/^g?(head|tail)$/, 'ncbs'],
  [/^g?(cp|mv|ln|install)$/, 'tSmgo'],
  [/^g?(rm|mkdir|rmdir|touch|chmod|chown)$/, 'mdrt'],
  [/^g?sed$/, 'efls'],
  [/^psql$/, 'cdfFhLoPpRTUv'],
  [/^(pytest|py\.test)$/, 'kmpnocWr'],
  [/^sudo$/, 'ugphaCcDRrTtU'],
  [/^(ssh|scp|sftp)$/, 'bBcDeEFIiJlLmoOpPQRSwWX'],
];

/** Longer words of other programs are rather names. */
const MOST_LETTERS = 3;

/**
 * Returns the options of one letter that a word with one dash may be. In a rule for a program that is not known, only a single
 * letter counts.
 */
export function lettersIn(program: string, word: string, from: 'rule' | 'command'): readonly OptionLetter[] {
  const known = valuedLetters(KNOWN_CLUSTERS, program);
  const valued = known ?? valuedLetters(CLUSTERS, program);
  const [, first, equals, given] = /^-(\w)(?:(=)(.*))?$/s.exec(word) ?? [];
  if (first !== undefined)
    return [
      {
        letter: first,
        attached: equals === undefined ? undefined : given,
        isAlone: known?.includes(first) === false,
      },
    ];
  const names = valuedLetters(WHOLE_NAMES, program);
  if (names !== undefined) return attachedLetter(word, new RegExp(`^[${names}]`));
  if (valued !== undefined) return clusterOf(word, valued, known !== undefined);
  if (from === 'rule') return [];
  const cluster = new RegExp(`^-[A-Za-z]{2,${MOST_LETTERS}}$`);
  return cluster.test(word) ? clusterOf(word, '', false) : attachedLetter(word, /^[A-Za-z][^A-Za-z-]/);
}

function valuedLetters(table: readonly (readonly [RegExp, string])[], program: string): string | undefined {
  return table.find(([programs]) => programs.test(program))?.[1];
}

function attachedLetter(word: string, beginning: RegExp): readonly OptionLetter[] {
  const text = word.slice(1);
  if (!beginning.test(text)) return [];
  return [{ letter: text.slice(0, 1), attached: text.slice(1).replace(/^=/, ''), isAlone: false }];
}

function clusterOf(word: string, valued: string, isComplete: boolean): readonly OptionLetter[] {
  const found: OptionLetter[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    if (!/\w/.test(letter)) break;
    const rest = word.slice(at + 1);
    const takesValue = valued.includes(letter);
    const isValue = rest !== '' && (takesValue || (!isComplete && /[^a-z]/.test(rest)));
    found.push({
      letter,
      attached: isValue ? rest.replace(/^=/, '') : undefined,
      isAlone: isComplete && !takesValue,
    });
    if (takesValue) break;
  }
  return found;
}
