/** What the searching tools have in common. */
export const SEARCHING = {
  isReadOnly: () => true,
  leavesOutDenied: true,
  isConcurrencySafe: () => true,
  maxResultSize: 30_000,
  compactable: true,
  interruptBehavior: 'cancel',
} as const;
