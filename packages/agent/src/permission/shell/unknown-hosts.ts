/** Finds the hosts that a command may connect to, although its text does not show them: in values, globs and texts on its input. */
import { once } from '../paths/places.ts';
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { CURL_OPTIONS } from './files/curl-options.ts';
import { connectedHosts } from './connected-hosts.ts';
import { givenTexts } from './given-texts.ts';
import type { WordScope } from './possible-values.ts';
import { baseName, fedCommands, likelyTails, PIPED, type Unwrapped } from './runners.ts';
import { optionPattern } from './short-options.ts';

const CONNECTS =
  /^(curl|wget|wget2|aria2c|http|https|xh|socat|nc|ncat|netcat|telnet|ftp|lftp|ssh|sftp|mosh|openssl|websocat|grpcurl)$/;
/** The unknown text follows the host. */
const KNOWN_HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[\w.@-]+(?::\d+)?[/?#]/i;
/** Options whose value is a host, or a list of options or addresses. */
const HOST_OPTION = optionPattern({
  letters: 'xK',
  long: 'url|expand|proxy|preproxy|socks|resolve|connect|conf|doh|input|base|variable',
});
/** Letters of options without a value. The word after them is not a value. */
const FLAGS: Readonly<Record<string, string>> = {
  curl: CURL_OPTIONS.letters,
  wget: 'bcdEFHhkLmNnpqrSvVx46',
  wget2: 'bcdEFHhkLmNnpqrSvVx46',
  ssh: '46AaCfGgKkMNnqsTtVvXxYy',
  sftp: '46AaCfNpqrv',
  nc: '46bCDdFhklNnrStUuvZz',
  ncat: '46CDhklNnrtuvz',
  netcat: '46bCDdFhklNnrStUuvZz',
  telnet: '468EFKLacdfrx',
};
const LONG_FLAG =
  /^--(?:no-[a-z-]+|quiet|silent|verbose|continue|timestamping|recursive|mirror|spider|ipv4|ipv6|inet[46]-only|listen|udp|ssl|check-certificate)$/;
/** Addresses or options come from the input, or an expression makes them. */
const COMPUTED = /^(?:-(?!-).*[Ki]-?|--(?:config|input-file)(?:=-)?)$|^--(?:expand|variable)/s;

/** The facts about a command that decide whether it may connect to a host. */
export function hostFacts(
  command: SimpleCommand,
  last: Unwrapped,
  readOnly: CommandPart['readOnly'],
  scope: WordScope,
): Pick<CommandPart, 'mayConnectAnywhere' | 'given'> {
  const runs = runsIn(last);
  const connects = runs.some(({ words: [name] }) => CONNECTS.test(baseName(name?.value ?? '')));
  return {
    mayConnectAnywhere: readOnly === 'no' && runs.some(hasUnknownHost),
    given: once(() => ({
      ...givenTexts(command, connects, scope),
      hosts: readOnly === 'no' ? connectedHosts(runs, scope) : [],
    })),
  };
}

function runsIn({ words, more }: Unwrapped): readonly Unwrapped[] {
  return [
    { words, more },
    ...likelyTails(words).map((tail) => ({ words: tail, more })),
    ...fedCommands(words),
  ];
}

function hasUnknownHost({ words, more }: Unwrapped): boolean {
  const [name, ...args] = more ? [...words, PIPED] : words;
  const program = baseName(name?.value ?? '');
  if (!CONNECTS.test(program)) return false;
  if (program === 'socat') return args.some(({ kind, value }) => kind === 'dynamic' || /["'\\]/.test(value));
  return args.some((word, at) => {
    if (COMPUTED.test(word.value) && /^(curl|wget|wget2|aria2c)$/.test(program))
      return (
        /^--(expand|variable)/.test(word.value) ||
        (args[at + 1]?.value ?? '-') === '-' ||
        word.value.endsWith('-')
      );
    if (word.kind !== 'dynamic' || KNOWN_HOST.test(word.prefix)) return false;
    return !(word.single && mayTakeValue(program, args[at - 1]));
  });
}

/** Returns whether the next word may be the value of this one, and not a host. */
function mayTakeValue(program: string, option: ShellWord | undefined): boolean {
  const { value = '' } = option ?? {};
  if (!/^-./.test(value) || HOST_OPTION.test(value)) return false;
  if (value.startsWith('--'))
    return program === 'curl' ? !CURL_OPTIONS.long.includes(value) : !LONG_FLAG.test(value);
  const flags = FLAGS[program] ?? '';
  return Array.from(value.slice(1)).some((letter) => !flags.includes(letter));
}
