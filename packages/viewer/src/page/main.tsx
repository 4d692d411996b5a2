/** The entry point of the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { fileSource } from './data/file-source.ts';
import { httpSource } from './data/http-source.ts';
import { Problem } from './parts/problem.tsx';
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
