/** `heddle doctor [--json]`: is everything there that Heddle needs, and what to do where not. */
import { configDir } from '../config-dir.ts';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';
import type { Finding } from './finding.ts';
import { checkFolder, checkGit, checkNode, checkSearch } from './machine.ts';
import { checkModels } from './models.ts';
import { checkSandboxing } from './sandbox.ts';
import { checkLeftovers } from './sessions.ts';
import { checkSettings } from './setup.ts';

export async function doctor(argv: readonly string[]): Promise<number> {
  const unknown = argv.find((word) => word !== '--json');
  if (unknown !== undefined) {
    process.stderr.write(`heddle: doctor takes only --json, not ${harmless(unknown)}\n`);
    return 2;
  }
  const findings = await examine(process.cwd(), process.env);
  say(argv.includes('--json') ? `${JSON.stringify(findings, undefined, 2)}\n` : report(findings));
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

async function examine(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const folder = configDir(env);
  const [models, ...found] = await Promise.all([
    checkModels(env),
    checkSearch(),
    checkGit(),
    checkSandboxing(cwd, env),
    checkSettings(cwd, env),
  ]);
  return [checkNode(), models, found, checkFolder(folder), checkLeftovers(folder)].flat(2);
}

const SIGNS = { ok: 'ok', hint: '--', problem: '!!' } as const;

function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, state, text, remedy }) => [
    `${SIGNS[state]} ${about.padEnd(width)}  ${harmless(text)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 5)}${harmless(remedy)}`]),
  ]);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const end =
    problems === 0 ? 'Nothing stands in the way.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`;
  return `${[...lines, end].join('\n')}\n`;
}
