/** The executable of the installed package. The bundle is loaded only by a Node that can run it. */
export const ENTRY = `#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --max-semi-space-size=8 --min-semi-space-size=8
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  await import('../dist/main.js');
} else {
  console.error('heddle: needs Node 22.18 or newer, found ' + process.versions.node);
  process.exitCode = 1;
}
`;
