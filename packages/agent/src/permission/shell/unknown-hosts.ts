/** Programs that connect to a host which no word shows: a variable, a pipe or an expression contains it. */
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
/** Addresses or options come from the input, or an expression makes them. */
const COMPUTED = /^(?:-(?!-).*[Ki]-?|--(?:config|input-file)(?:=-)?)$|^--(?:expand|variable)/s;

/** Returns whether a command may connect to any host. */
export function mayConnectAnywhere({ words, more }: Unwrapped): boolean {
  const runs: readonly Unwrapped[] = [
    { words, more },
    ...likelyTails(words).map((tail) => ({ words: tail, more })),
    ...fedCommands(words),
  ];
  return runs.some(hasUnknownHost);
}

function hasUnknownHost({ words, more }: Unwrapped): boolean {
  const [name, ...args] = more ? [...words, PIPED] : words;
  const program = baseName(name?.value ?? '');
  if (!CONNECTS.test(program)) return false;
  if (program === 'socat') return args.some(({ kind, value }) => kind === 'dynamic' || /["'\\]/.test(value));
  return args.some((word, at) => {
    const before = args[at - 1]?.value ?? '';
    if (COMPUTED.test(word.value) && /^(curl|wget|wget2|aria2c)$/.test(program))
      return (
        /^--(expand|variable)/.test(word.value) ||
        (args[at + 1]?.value ?? '-') === '-' ||
        word.value.endsWith('-')
      );
    if (word.kind !== 'dynamic' || KNOWN_HOST.test(word.prefix)) return false;
    const isValue = word.single && /^-./.test(before) && !HOST_OPTION.test(before);
    return !isValue;
  });
}
