/** How a command ended, as data and in words. */
export type TaskEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'not_started'; readonly why: string };

export function endingOf(end: TaskEnd | undefined): string {
  switch (end?.kind) {
    case undefined:
      return 'is still running';
    case 'exited':
      return `has ended with exit code ${end.code}`;
    case 'signalled':
      return `was ended by ${end.signal}`;
    case 'stopped':
      return `was ended: ${end.why}`;
    case 'not_started':
      return `could not be started: ${end.why}`;
  }
}
