/** The links between the pages about all sessions. */
import { hashOf } from '../data/route.ts';

export function PagesNav({ current }: { readonly current: 'sessions' | 'statistics' }) {
  return (
    <nav class="pages" aria-label="Pages">
      <span class="brand">Heddle</span>
      {(['sessions', 'statistics'] as const).map((page) => (
        <a key={page} href={hashOf({ page })} aria-current={page === current ? 'page' : undefined}>
          {page}
        </a>
      ))}
    </nav>
  );
}
