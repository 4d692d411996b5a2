// `npm run bench:permission`: what one decision costs with 500 rules, over commands from a word to a script.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Rule, Rules } from '@heddle/agent';
import { authorize, type World } from '@heddle/agent/permission';

const RULES = 500;
const ROUNDS = Number(process.argv[2] ?? 2_000);
const GOAL_MS = 1;

const commands: readonly [string, string][] = [
  ['a word', 'ls'],
  ['covered by the last rule', 'tool499 run build'],
  ['covered by none', 'unknown --flag value'],
  ['four commands', 'cd src && tool1 run a | tool2 run b > out/log.txt; echo done'],
  ['a script', 'for f in a b c; do if tool3 run "$f"; then cat "$f" | grep -v x; else tool4 run $(tool5 run "$f"); fi; done 2>&1 | tee out/log'],
  ['ten file commands', Array.from({ length: 10 }, (_, index) => `cp src/a${index} out/b${index}`).join(' && ')],
  ['10,000 characters', `tool6 run ${Array.from({ length: 1_600 }, (_, index) => `w${index}`).join(' ')}`],
];

const rule = (text: string): Rule => ({ text, source: 'project', file: '.claude/settings.json', base: '/work/project' });
const rules: Rules = {
  allow: Array.from({ length: RULES / 2 }, (_, index) => rule(`Bash(tool${index * 2 + 1} run *)`)),
  deny: Array.from({ length: RULES / 4 }, (_, index) => rule(index % 2 ? `Read(secrets${index}/**)` : `Bash(forbidden${index} *)`)),
  ask: Array.from({ length: RULES / 4 }, (_, index) => rule(index % 2 ? `Edit(config${index}/**)` : `Bash(git push * branch${index})`)),
};
const world: World = {
  root: '/work/project',
  cwd: '/work/project',
  directories: [],
  home: '/home/user',
  configDirs: ['/home/user/.claude'],
  foldsCase: false,
  realpath: (file) => file,
  exists: () => false,
  git: { helpers: [], submodules: false },
  environment: {},
};

const decide = (command: string) =>
  authorize({ tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined }, rules, 'default', world);

const startedAt = performance.now();
decide('ls');
const firstMs = performance.now() - startedAt;

let worst = 0;
const lines = commands.map(([name, command]) => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    decide(command);
    times.push(performance.now() - before);
  }
  times.sort((left, right) => left - right);
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  worst = Math.max(worst, median);
  return `${name.padEnd(26)} ${median.toFixed(3)} ms   p99 ${(times[Math.floor(times.length * 0.99)] ?? Number.NaN).toFixed(3)} ms   ${decide(command).decision}`;
});

const report = [
  `Node ${process.version}, ${RULES} rules, median of ${ROUNDS} decisions   goal < ${GOAL_MS} ms`,
  ...lines,
  `the first, rules compiled  ${firstMs.toFixed(1)} ms`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'permission.txt'), `${report}\n`);
process.exitCode = worst < GOAL_MS ? 0 : 1;
