/** Chooses the page by the address: the list of sessions, or one session. */
import { useEffect } from 'preact/hooks';
import type { ViewerInfo, ViewerSource } from '../model/api.ts';
import { go, useRoute } from './data/route.ts';
import { ComparePage } from './views/compare-page.tsx';
import { SessionPage } from './views/session-page.tsx';
import { SessionsPage } from './views/sessions-page.tsx';
import { StatisticsPage } from './views/statistics-page.tsx';

export interface AppProps {
  readonly source: ViewerSource;
  readonly info: ViewerInfo;
}

export function App({ source, info }: AppProps) {
  const route = useRoute();
  useEffect(() => {
    const isBare = location.hash.replace(/^#\/?/, '') === '';
    if (isBare && info.session !== undefined)
      go({ page: 'session', id: info.session, view: 'timeline', line: undefined });
  }, [info]);
  switch (route.page) {
    case 'sessions':
      return <SessionsPage source={source} />;
    case 'statistics':
      return <StatisticsPage source={source} />;
    case 'compare':
      return <ComparePage source={source} left={route.left} right={route.right} />;
    case 'session':
      return <SessionPage key={route.id} source={source} info={info} route={route} />;
  }
}
