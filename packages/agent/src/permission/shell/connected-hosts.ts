/** Finds the hosts among the words of programs that connect. There, any word may be a host, also one without a dot. */
import type { ShellWord } from '@heddle/tools/shell';
import type { NamedHost } from '../part.ts';
import { expandBraces } from './files/operands.ts';
import { expandedTexts, type WordScope } from './possible-values.ts';
import { baseName, type Unwrapped } from './runners.ts';

interface Client {
  readonly programs: RegExp;
  /** Every operand may be a host, and not only a word that is known as one. */
  readonly isCertain: boolean;
  /** Only the text before a colon is a host. */
  readonly beforeColon?: true;
  /** Without this word, the program does not connect. */
  readonly with?: RegExp;
}

const CLIENTS: readonly Client[] = [
  { programs: /^openssl$/, isCertain: true, with: /^(s_client|s_time|ocsp|cmp|-proxy)$/ },
  {
    programs:
      /^(curl|curlie|wget2?|aria2c|axel|https?|xh|socat|nc|ncat|netcat|telnet|t?ftp|lftp|ssh|slogin|sftp|mosh|autossh|rsh|rlogin|websocat|grpcurl|ping6?|traceroute6?|tracepath|mtr|nmap|ssh-keyscan|ssh-copy-id|dig|host|nslookup|whois|lynx|w3m|links|elinks|hping3|iperf3?|fping|arping|nping|drill|delv)$/,
    isCertain: true,
  },
  { programs: /^(scp|rsync|sshfs|rcp)$/, isCertain: true, beforeColon: true },
  // Any of their words may be something else.
  {
    programs:
      /^(git|docker|podman|nerdctl|kubectl|helm|oc|mysql\w*|mariadb[\w-]*|psql|pg_\w+|redis-cli|valkey-cli|mongosh?|mongo\w+|ldap\w+|mosquitto_\w+|smbclient|rpcclient|snmp\w+|swaks|rclone|aws|gh|glab|svn|hg|npm|pnpm|yarn|pip\d*|uv|cargo|go|ansible\w*|vncviewer|xfreerdp|rdesktop|x11vnc|amqp\w*|kcat|kafkacat|nats|etcdctl|consul|vault|influx|clickhouse-client|sqlcmd|cqlsh|ab|wrk|hey|siege|vegeta|k6|skopeo|crane|oras)$/,
    isCertain: false,
  },
];

/** The number of words in which hosts are looked for. */
const MOST_WORDS = 500;

/** Returns the names that may be hosts among the words of these commands. */
export function connectedHosts(runs: readonly Unwrapped[], scope: WordScope): readonly NamedHost[] {
  const hosts = runs.flatMap(({ words: [name, ...args] }): readonly NamedHost[] => {
    const program = baseName(name?.value ?? '');
    const client = CLIENTS.find(({ programs }) => programs.test(program));
    if (client === undefined || (client.with && !args.some(({ value }) => client.with?.test(value) === true)))
      return [];
    return args.slice(0, MOST_WORDS).flatMap((word) =>
      valuesOf(word, scope).flatMap((value) =>
        namesIn(value, client).map((host) => ({
          host,
          isCertain: client.isCertain && !value.startsWith('-'),
        })),
      ),
    );
  });
  scope.world.spend?.(Math.ceil(hosts.length / HOSTS_PER_STEP));
  return hosts;
}

/** The number of names that are compared with a rule in one step. */
const HOSTS_PER_STEP = 16;

function valuesOf(word: ShellWord, scope: WordScope): readonly string[] {
  if (word.kind === 'literal') return [word.value];
  const braces = expandBraces(word);
  if (braces.length !== 1 || braces[0] !== word) return braces.map(({ value }) => value);
  const values = expandedTexts(word, scope) ?? [];
  // Without a match, the shell keeps the glob. Another command may create a match before it runs.
  return word.kind === 'pattern' ? [...values, word.value, word.value.replace(WILDCARDS, '*')] : values;
}

/** The brackets of the address `[::1]` are not a set of letters. */
const WILDCARDS = /[*?]+|\[(?![\da-f.]*:[\da-f:.]*\])[^\]]*\]/gi;

/** IPv6, also with the name of an interface: `fe80::1%eth0`. */
const ADDRESS = /^(?=.*:.*:)([\da-f:.]+)(?:%.*)?$/i;

/** Returns what may be a host in a word: `h:80/x`, `me@h`, `--host=h`, `-hh`, `TCP:h:80`, `tcp://h`. */
function namesIn(value: string, { beforeColon }: Client): readonly string[] {
  const [, letters = ''] = /^-([A-Za-z0-9]+)/.exec(value) ?? [];
  const attached = Array.from(letters, (_, index) => value.slice(index + 2));
  const whole = value.startsWith('-') ? [/=(.*)$/s.exec(value)?.[1] ?? '', ...attached] : [value];
  const texts = whole.concat(whole.flatMap((text) => text.split(/[@,=!]/)));
  const names = texts.flatMap((text) => namesInPart(text, beforeColon));
  return [...new Set(names)].filter((name) => name !== '');
}

function namesInPart(text: string, beforeColon: true | undefined): readonly string[] {
  const bare = text.replace(/^(?:[a-z][a-z0-9+.-]*:\/+|\/{2,})/i, '');
  const [, address] = ADDRESS.exec(bare) ?? [];
  const [place = ''] = bare.split(/[/?#\s]/, 1);
  const pieces = place.split(':');
  const named = beforeColon && bare === text ? pieces.slice(0, -1) : pieces;
  return [...(address === undefined ? [] : [`[${address}]`]), ...named];
}
