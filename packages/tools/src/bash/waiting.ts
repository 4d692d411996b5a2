/** Signs that a command wants something typed. Its standard input is empty and it has no terminal, so nobody will. */

const QUESTION =
  /(password|passphrase|passcode|username|login)\b.{0,80}:\s*$|[[(](y(es)?\/no?|n\/y)[\])]?.{0,20}$|\((yes\/no(\/\[fingerprint\])?)\)\?\s*$|press (any key|enter|return).{0,40}$|(continue|proceed|overwrite|are you sure).{0,40}\?\s*$|^\? .+[›»>:]\s*.{0,40}$/i;

const NO_TERMINAL =
  /not a tty|a terminal is required|must be run from a terminal|no tty present|inappropriate ioctl for device|EOF when reading a line|could not read (username|password)|cannot read from stdin|Host key verification failed/i;

/** The unfinished line at the end of what it wrote looks like a question. */
export function looksLikeQuestion(line: string): boolean {
  return QUESTION.test(line.slice(-200));
}

/** What it wrote before it failed says that it wanted somebody at a keyboard. */
export function missedTerminal(output: string): boolean {
  const end = output.slice(-2_000).trimEnd();
  return NO_TERMINAL.test(end) || looksLikeQuestion(end.slice(end.lastIndexOf('\n') + 1));
}
