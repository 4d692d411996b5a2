/** All options of `curl` up to version 8.17, by what their values are. */
import type { OptionTable } from './operands.ts';

const list = (text: string): readonly string[] => text.split(' ');

/** The value is a file that is written. */
export const CURL_OUTPUTS = list('-o --output -D --dump-header -c --cookie-jar --output-dir');
export const CURL_LOGS = list(
  '--trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --ssl-sessions',
);
/** The value is a file, a folder or a socket that is read. */
export const CURL_INPUTS = list(
  '-T --upload-file -K --config -b --cookie --key --cacert --capath --crlfile --pubkey --netrc-file --proxy-key ' +
    '--proxy-cacert --proxy-capath --proxy-crlfile --pinnedpubkey --proxy-pinnedpubkey --random-file --egd-file ' +
    '--etag-compare --unix-socket -z --time-cond --knownhosts --hsts --alt-svc --ssl-sessions',
);
/** The value is a file that is sent. */
export const CURL_UPLOADS = ['-T', '--upload-file'];
/** The value is a socket. Its server may change anything, so a socket counts as written, too. */
export const CURL_SOCKETS = ['--unix-socket'];
/** A proxy can be a socket: `socks5h://localhost/run/x`. */
export const CURL_PROXIES = list('-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname');
/** The value is a file, perhaps with a password after a colon. */
export const CURL_CERTIFICATES = list('-E --cert --proxy-cert');
/** The value is a text, or a file after `@`. */
const TEXTS = list('-d --data --data-ascii --data-binary --json -H --header --proxy-header -w --write-out');
/** The value can contain a name before `@`. */
export const CURL_NAMED_TEXTS = list('--data-urlencode --url-query --variable --ech');
export const CURL_FORMS = ['-F', '--form'];
/** The value names no file. */
const PLAIN = list(
  '-A -C -e -m -P -Q -r -t -u -U -x -X -y -Y --url --request --user --user-agent --data-raw --form-string --referer --max-time ' +
    '--connect-timeout --retry --retry-delay --retry-max-time --proxy --proxy-user --max-filesize --range --limit-rate --resolve ' +
    '--connect-to --interface --ciphers --cert-type --key-type --pass --tls-max --speed-limit --speed-time --max-redirs ' +
    '--oauth2-bearer --noproxy --continue-at --mail-from --mail-rcpt --mail-auth --quote --proto --proto-default --proto-redir ' +
    '--parallel-max --parallel-max-host --aws-sigv4 --abstract-unix-socket --create-file-mode --curves --delegation ' +
    '--dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --engine --expect100-timeout --ftp-account ' +
    '--ftp-alternative-to-user --ftp-method --ftp-port --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip ' +
    '--hostpubmd5 --hostpubsha256 --ip-tos --ipfs-gateway --keepalive-time --keepalive-cnt --krb --krb4 --local-port ' +
    '--login-options --preproxy --proxy1.0 --proxy-cert-type --proxy-ciphers --proxy-key-type --proxy-pass ' +
    '--proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser --rate ' +
    '--request-target --sasl-authzid --service-name --sigalgs --socks4 --socks4a --socks5 --socks5-hostname ' +
    '--socks5-gssapi-service --telnet-option --tftp-blksize --tls13-ciphers --tlsauthtype --tlspassword --tlsuser ' +
    '--trace-config --upload-flags --vlan-priority',
);
const FLAGS = list(
  'silent show-error fail fail-with-body fail-early location location-trusted insecure include head get verbose compressed ' +
    'compressed-ssh buffer globoff http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only ipv4 ipv6 ' +
    'progress-meter progress-bar remote-name remote-name-all remote-header-name create-dirs parallel parallel-immediate ' +
    'remote-time ssl ssl-reqd sslv2 sslv3 tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 post301 post302 post303 netrc netrc-optional ' +
    'basic digest ntlm ntlm-wb negotiate anyauth path-as-is append use-ascii list-only junk-session-cookies raw tcp-nodelay ' +
    'tcp-fastopen keepalive sessionid crlf clobber remove-on-error disable retry-connrefused retry-all-errors ' +
    'ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl ftp-ssl-reqd ftp-ssl-ccc ftp-ssl-control next help manual ' +
    'version alpn npn ca-native proxy-ca-native cert-status doh-cert-status doh-insecure disable-eprt disable-epsv eprt epsv ' +
    'disallow-username-in-url dump-ca-embed false-start follow form-escape haproxy-protocol ignore-content-length ' +
    'mail-rcpt-allowfails metalink mptcp out-null proxy-anyauth proxy-basic proxy-digest proxy-http2 proxy-insecure ' +
    'proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel sasl-ir ' +
    'skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ' +
    'ssl-revoke-best-effort styled-output suppress-connect-headers test-duphandle test-event tftp-no-options tls-earlydata ' +
    'tr-encoding trace-ids trace-time xattr',
);

export const CURL_OPTIONS: OptionTable = {
  valued: [
    ...new Set([
      ...CURL_OUTPUTS,
      ...CURL_LOGS,
      ...CURL_INPUTS,
      ...CURL_CERTIFICATES,
      ...TEXTS,
      ...CURL_NAMED_TEXTS,
      ...CURL_FORMS,
      ...PLAIN,
    ]),
  ],
  letters: '#0123469:aBfgGhiIjJklLMnNOpqRsSvVZ',
  long: FLAGS.flatMap((name) => [`--${name}`, `--no-${name}`]),
};
