/** A page that shows any session: served on loopback, or written as one file. */
export { loadPage } from './build/page-files.ts';
export { exportSession } from './export-session.ts';
export { startViewer, type Viewer, type ViewerOptions } from './server/server.ts';
