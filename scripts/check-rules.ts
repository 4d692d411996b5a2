// `npm run check:rules`: repository rules that no general tool checks. Prints `file:line rule advice`. With
// `-- --prose PREFIX` it lists all prose findings under a path; with `-- --lower-allowance` it updates the
// allowance.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { noSilencedErrors, noSwitchedOffTests, noTypeEscapes } from './rules/escapes.ts';
import { folderOrder, KNOWN_CIRCLES, noCircles } from './rules/folder-layers.ts';
import { importDirection } from './rules/package-layers.ts';
import { aboveAllowance, lowerAllowance, proseInCode, proseInDocument } from './rules/prose.ts';
import allowance from './rules/prose-allowance.json' with { type: 'json' };
import { coreCompilesAlone, corePurity, isPureSource } from './rules/purity.ts';
import { shortFunctions } from './rules/short-functions.ts';
import { noSmallFiles } from './rules/small-files.ts';
import { type Finding, isCode, parse, type Source, type TextFile, valueAt } from './rules/source.ts';
import { noMachinePaths, noRegistryHosts, shortFiles } from './rules/text.ts';

const root = path.dirname(import.meta.dirname);
const files = readFiles();
const prose: Finding[] = [];
const sources: Source[] = [];
const findings = files.flatMap(checkFile);
findings.push(...noCircles(sources, KNOWN_CIRCLES), ...noSmallFiles(sources));
const allowanceFile = path.join(import.meta.dirname, 'rules', 'prose-allowance.json');

const [option, prefix] = process.argv.slice(2);
if (option === '--prose')
  findings.splice(0, Infinity, ...prose.filter((found) => found.path.startsWith(prefix ?? '')));
else findings.push(...aboveAllowance(prose, allowance));
if (option === '--lower-allowance') {
  writeFileSync(allowanceFile, `${JSON.stringify(lowerAllowance(prose, allowance), null, 2)}\n`);
}

for (const { path: file, line, rule, advice } of findings) console.log(`${file}:${line}  ${rule}  ${advice}`);
console.log(
  `Repository rules: ${files.length} files, ${findings.length} findings (all prose: ${prose.length}).`,
);
process.exitCode = findings.length === 0 ? 0 : 1;

function checkFile(file: TextFile): Finding[] {
  const findings = [...shortFiles(file), ...noMachinePaths(file), ...noRegistryHosts(file)];
  if (/^packages\/(core|context)\/tsconfig\.json$/.test(file.path)) findings.push(...coreCompilesAlone(file));
  if (file.path.endsWith('.md')) prose.push(...proseInDocument(file));
  if (!isCode(file.path)) return findings;

  const source = parse(file);
  sources.push(source);
  // The prose rules and their test contain the words that they forbid.
  if (!/^scripts\/rules\/prose(\.test)?\.ts$/.test(file.path)) prose.push(...proseInCode(source));
  findings.push(
    ...noTypeEscapes(source),
    ...noSilencedErrors(source),
    ...noSwitchedOffTests(source),
    ...importDirection(source, exportsOf),
    ...folderOrder(source),
    ...shortFunctions(source),
  );
  if (isPureSource(file.path)) findings.push(...corePurity(source));
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
