/** Why something could not be read or stored, in words first and in the system's own behind them. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a file stands where a folder is needed',
};

/** What the lock says, which is a database. */
const LOCK_WORDS: Readonly<Record<number, string>> = {
  8: 'permission is denied',
  13: 'the disk is full',
  14: 'permission is denied',
};

export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const words = wordsFor(thrown);
  return words === undefined ? thrown.message : `${words} (${thrown.message})`;
}

function wordsFor(error: Error): string | undefined {
  if ('errcode' in error && typeof error.errcode === 'number') return LOCK_WORDS[error.errcode & 0xff];
  return 'code' in error && typeof error.code === 'string' ? WORDS[error.code] : undefined;
}
