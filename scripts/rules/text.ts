// Rules about the text of files of any kind.
import { type Finding, finding, isCode, type TextFile } from './source.ts';

const maxLines = 500;

export function shortFiles(file: TextFile): Finding[] {
  const lines = file.text.trimEnd().split('\n').length;
  if (!isCode(file.path) || lines <= maxLines) return [];
  return [
    finding(
      file,
      file.text.length,
      'short-files',
      `${lines} lines: split it by subject, at most ${maxLines}`,
    ),
  ];
}

// A path that begins at the root of a file system. After a word, a dot, a variable or a wildcard it does
// not.
const machinePath = /(?<![\w.~*})>-])(?:\/(?:home|Users)\/\w|\/(?:work|root)\/|[A-Za-z]:\\{1,2}Users\b)/g;

export function noMachinePaths(file: TextFile): Finding[] {
  return matches(
    file,
    machinePath,
    'no-machine-paths',
    'use a path relative to the repository or a temporary folder',
  );
}

const registryHost = /"resolved":\s*"https?:|^\s*(?:@[\w-]+:)?registry\s*=/gm;

export function noRegistryHosts(file: TextFile): Finding[] {
  if (!/(^|\/)(package-lock\.json|\.npmrc)$/.test(file.path)) return [];
  const advice = 'name no registry: npm install with omit-lockfile-registry-resolved=true (.npmrc)';
  return matches(file, registryHost, 'no-registry-hosts', advice);
}

function matches(file: TextFile, pattern: RegExp, rule: string, advice: string): Finding[] {
  return [...file.text.matchAll(pattern)].map(({ index }) => finding(file, index, rule, advice));
}
