/** Sample sessions and the browser of the system, for tests, pictures and measurements. */
export { findBrowser, openBrowser } from './browser.ts';
export { SampleLog, sampleLog, writeLog, writeSample } from './sample-session.ts';
