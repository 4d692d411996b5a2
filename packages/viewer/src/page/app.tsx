/** Chooses the page by the address: the list of sessions, or one session. */
import { useEffect } from 'preact/hooks';
import type { ViewerInfo, ViewerSource } from '../model/api.ts';
import { go, useRoute } from './data/route.ts';
import { SessionPage } from './views/session-page.tsx';
import { SessionsPage } from './views/sessions-page.tsx';

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
    case 'session':
      return <SessionPage key={route.id} source={source} info={info} route={route} />;
  }
}
