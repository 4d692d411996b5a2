// `npm run check:house`: the rules of the house that no general tool knows. Prints `file:line  rule  what to do`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { noSilencedErrors, noSwitchedOffTests, noTypeEscapes } from './house/escapes.ts';
import { importDirection } from './house/floors.ts';
import { coreCompilesAlone, corePurity, isCoreSource } from './house/purity.ts';
import { roomOrder } from './house/rooms.ts';
import { type Finding, isCode, parse, type TextFile, valueAt } from './house/source.ts';
import { noMachinePaths, noRegistryHosts, shortFiles } from './house/text.ts';

const root = path.dirname(import.meta.dirname);
const files = readFiles();
const findings = files.flatMap(checkFile);

for (const { path: file, line, rule, advice } of findings) console.log(`${file}:${line}  ${rule}  ${advice}`);
console.log(`House rules: ${files.length} files, ${findings.length} findings.`);
process.exitCode = findings.length === 0 ? 0 : 1;

function checkFile(file: TextFile): Finding[] {
  const findings = [...shortFiles(file), ...noMachinePaths(file), ...noRegistryHosts(file)];
  if (file.path === 'packages/core/tsconfig.json') findings.push(...coreCompilesAlone(file));
  if (!isCode(file.path)) return findings;

  const source = parse(file);
  findings.push(
    ...noTypeEscapes(source),
    ...noSilencedErrors(source),
    ...noSwitchedOffTests(source),
    ...importDirection(source, exportsOf),
    ...roomOrder(source),
  );
  if (isCoreSource(file.path)) findings.push(...corePurity(source));
  return findings;
}

/** Every text file that is, or would be, committed. */
function readFiles(): TextFile[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\0'))]
    .filter(
      (file) => file !== '' && existsSync(path.join(root, file)) && statSync(path.join(root, file)).isFile(),
    )
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

function exportsOf(folder: string): string[] {
  const manifest = path.join(root, 'packages', folder, 'package.json');
  if (!existsSync(manifest)) return [];
  const faces = valueAt(JSON.parse(readFileSync(manifest, 'utf8')), 'exports');
  return typeof faces === 'object' && faces !== null ? Object.keys(faces) : [];
}
