/** Sample sessions and the browser of the system, for tests, pictures and measurements. */
export { findBrowser, openBrowser } from './browser.ts';
export { otherLog, SampleLog, writeLog, writeSample } from './sample-session.ts';
