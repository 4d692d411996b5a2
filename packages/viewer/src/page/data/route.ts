/** The address of a view, in the fragment: `#/session/ID/view?line=12`. The server never receives it. */
import { useEffect, useState } from 'preact/hooks';

export const VIEWS = ['timeline', 'transcript', 'window', 'money', 'machine'] as const;
export type ViewName = (typeof VIEWS)[number];

export type Route =
  | { readonly page: 'sessions' | 'statistics' }
  | { readonly page: 'compare'; readonly left: string; readonly right: string }
  | {
      readonly page: 'session';
      readonly id: string;
      readonly view: ViewName;
      /** The line that is selected. */
      readonly line: number | undefined;
    };

function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, first = '', second = ''] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  if (page === 'session' && first !== '') {
    const line = Number(parameters.get('line') ?? Number.NaN);
    return {
      page: 'session',
      id: first,
      view: viewOf(second),
      line: Number.isInteger(line) ? line : undefined,
    };
  }
  if (page === 'compare') return { page: 'compare', left: first, right: second };
  return { page: page === 'statistics' ? 'statistics' : 'sessions' };
}

export function hashOf(route: Route): string {
  switch (route.page) {
    case 'sessions':
      return '#/';
    case 'statistics':
      return '#/statistics';
    case 'compare':
      return `#/compare/${encodeURIComponent(route.left)}/${encodeURIComponent(route.right)}`;
    case 'session': {
      const line = route.line === undefined ? '' : `?line=${route.line}`;
      return `#/session/${encodeURIComponent(route.id)}/${route.view}${line}`;
    }
  }
}

export function go(route: Route): void {
  location.hash = hashOf(route);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const update = (): void => setRoute(readRoute(location.hash));
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}

function viewOf(word: string): ViewName {
  return VIEWS.find((name) => name === word) ?? 'timeline';
}

/** A broken escape stays as it is. */
function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
