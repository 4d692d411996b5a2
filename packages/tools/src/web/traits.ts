/** What the tools that look beyond this machine have in common. */
export const OUTWARD = {
  // A request tells others something, can make a server do something, and may cost money.
  isReadOnly: () => false,
  isConcurrencySafe: () => true,
  isIdempotent: () => true,
  maxResultSize: 40_000,
  compactable: true,
  interruptBehavior: 'cancel',
} as const;
