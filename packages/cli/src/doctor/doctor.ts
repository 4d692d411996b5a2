/** `heddle doctor [--json]`: checks that everything Heddle needs is present, and reports what to do if not. */
import { errorMessage } from '@heddle/core';
import { configDir } from '../config-dir.ts';
import { modelEnvironment } from '../keys.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { misuse, writeMessage } from '../terminal/write-message.ts';
import {
  checkFolder,
  checkGit,
  checkLeftovers,
  checkModels,
  checkNode,
  checkSandboxing,
  checkSearch,
  checkSettingsFiles,
  checkView,
  type Finding,
  problem,
} from './machine.ts';

/** `inUse`: the model of the current conversation. Without it, the default model is checked. */
export async function doctor(argv: readonly string[], inUse?: string): Promise<number> {
  const unknown = argv.find((word) => word !== '--json');
  if (unknown !== undefined) return misuse(`doctor takes only --json, not ${unknown}`);
  const findings = await examine(process.cwd(), modelEnvironment(), inUse);
  writeMessage(argv.includes('--json') ? `${jsonText(findings, 2)}\n` : report(findings));
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

async function examine(
  cwd: string,
  env: NodeJS.ProcessEnv,
  inUse: string | undefined,
): Promise<readonly Finding[]> {
  const folder = configDir(env);
  const found = await Promise.all([
    examined('program', () => checkNode()),
    examined('model', () => checkModels(cwd, env, inUse)),
    examined('search', checkSearch),
    examined('git', checkGit),
    examined('sandbox', () => checkSandboxing(cwd, env)),
    examined('reading', () => checkView(cwd, env)),
    examined('settings', () => checkSettingsFiles(cwd, env)),
    examined('folder', () => checkFolder(folder)),
    examined('commands', () => checkLeftovers(folder)),
  ]);
  return found.flat();
}

type Findings = Finding | Finding[];

/** Reports a check that throws as a problem, so that the other checks are still shown. */
async function examined(about: string, look: () => Findings | Promise<Findings>): Promise<Findings> {
  try {
    return await look();
  } catch (thrown) {
    const why = errorMessage(thrown);
    return problem(about, `this could not be checked: ${why}`, 'fix the cause, and run heddle doctor again');
  }
}

const SIGNS = { ok: 'ok', hint: '--', problem: '!!' } as const;

function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, state, text, remedy }) => [
    `${SIGNS[state]} ${about.padEnd(width)}  ${escapeControls(text)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 5)}${escapeControls(remedy)}`]),
  ]);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const end =
    problems === 0 ? 'No problems found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`;
  return `${[...lines, end].join('\n')}\n`;
}
