/** The entry point of the page. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ViewerInfo, ViewerSource } from '../model/api.ts';
import { go, useRoute } from './data/route.ts';
import { fileSource, httpSource } from './data/viewer-sources.ts';
import { Problem } from './parts/problem.tsx';
import { ComparePage } from './views/compare-page.tsx';
import { SessionPage } from './views/session-page.tsx';
import { SessionsPage } from './views/sessions-page.tsx';
import { StatisticsPage } from './views/statistics-page.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- vite collects the styles
import 'uplot/dist/uPlot.min.css';
// oxlint-disable-next-line import/no-unassigned-import -- vite collects the styles
import './style/page.css';

const root = document.getElementById('app');
if (root) void start(root);

async function start(element: HTMLElement): Promise<void> {
  try {
    const source = fileSource() ?? (await httpSource());
    const info = await source.info();
    render(<App source={source} info={info} />, element);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    render(<Problem title="The page could not be opened." message={message} />, element);
  }
}

interface AppProps {
  readonly source: ViewerSource;
  readonly info: ViewerInfo;
}

/** Chooses the page by the address: the list of sessions, or one session. */
function App({ source, info }: AppProps) {
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
