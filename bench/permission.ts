// `npm run bench:permission`: the cost of one decision with 500 rules, over commands from a word to a
// script.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Rule, Rules } from '@heddle/agent';
import { authorize, type World } from '@heddle/agent/permission';

const RULES = 500;
const ROUNDS = Number(process.argv[2] ?? 1_000);
const GOAL_MS = 1;

const commands: readonly [string, string][] = [
  ['a word', 'ls'],
  ['covered by the last rule', 'tool499 run build'],
  ['covered by none', 'unknown --flag value'],
  ['four commands', 'cd src && tool1 run a | tool2 run b > out/log.txt; echo done'],
  ['a script', 'for f in a b c; do if tool3 run "$f"; then cat "$f" | grep -v x; else tool4 run $(tool5 run "$f"); fi; done 2>&1 | tee out/log'],
  ['globs', 'wc -l src/*.ts docs/{a,b}/*.md | tail -1'],
  ['ten file commands', Array.from({ length: 10 }, (_, index) => `cp src/a${index} out/b${index}`).join(' && ')],
  ['10,000 characters', `tool6 run ${Array.from({ length: 1_600 }, (_, index) => `w${index}`).join(' ')}`],
];

const rule = (text: string): Rule => ({ text, source: 'project', file: '.claude/settings.json', base: '/repo/project' });
const rules: Rules = {
  allow: Array.from({ length: RULES / 2 }, (_, index) => rule(`Bash(tool${index * 2 + 1} run *)`)),
  deny: Array.from({ length: RULES / 4 }, (_, index) => rule(index % 2 ? `Read(secrets${index}/**)` : `Bash(forbidden${index} *)`)),
  ask: Array.from({ length: RULES / 4 }, (_, index) => rule(index % 2 ? `Edit(config${index}/**)` : `Bash(git push * branch${index})`)),
};
const world: World = {
  root: '/repo/project',
  cwd: '/repo/project',
  directories: [],
  home: '/people/user',
  configDirs: ['/people/user/.claude'],
  foldsCase: false,
  realpath: (file) => file,
  exists: () => false,
  list: () => undefined,
  entries: () => [],
  repository: () => 'none',
  gitIn: () => ({ helpers: [], submodules: false }),
  environment: {},
};

const decide = (command: string) =>
  authorize({ tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined }, rules, 'default', world);

const startedAt = performance.now();
decide('ls');
const firstMs = performance.now() - startedAt;

// Processor time instead of wall time, because the machine may be busy.
let worst = 0;
const lines = commands.map(([name, command]) => {
  for (let round = 0; round < 200; round++) decide(command);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) decide(command);
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000 / ROUNDS;
  const hasGoal = command.length < 5_000;
  if (hasGoal) worst = Math.max(worst, ms);
  return `${name.padEnd(28)} ${ms.toFixed(3)} ms   ${decide(command).decision}${hasGoal ? '' : '   (the longest that is read; no goal)'}`;
});

const report = [
  `Node ${process.version}, ${RULES} rules, cpu per decision, mean of ${ROUNDS}   goal < ${GOAL_MS} ms`,
  ...lines,
  `the first, rules compiled   ${firstMs.toFixed(1)} ms`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'permission.txt'), `${report}\n`);
process.exitCode = worst < GOAL_MS ? 0 : 1;
