/** Decides random scripts, runs those that are allowed because they only read, and reports those that did more. */
import type { PermissionMode } from '@heddle/core';
import { authorize } from '../../authorize.ts';
import { observeWorld } from '../../observe-world.ts';
import type { Rules } from '../../rules/rule.ts';
import type { PermissionWorld } from '../../world.ts';
import { Dice } from '../fuzz.ts';
import { randomScript } from './generate-script.ts';
import { mutatedScript } from './mutate-script.ts';
import { reduced } from './reduce.ts';
import type { Scratch } from './scratch-container.ts';

export interface Search {
  readonly seed: number;
  /** How many scripts are decided. */
  readonly decided: number;
  /** The share of decided scripts that are executed, if as many are allowed. */
  readonly executedShare: number;
  readonly scratch: Scratch;
}

export interface Found {
  /** How many of the allowed scripts were executed. */
  readonly executed: number;
  /** A line for each script with an effect: how it was decided, the script made short, and what it did. */
  readonly effects: readonly string[];
}

interface Candidate {
  readonly script: string;
  readonly mode: PermissionMode;
  readonly rules: Rules;
}

interface Finding extends Candidate {
  readonly effect: string;
}

const BATCH = 200;
/** Containers at a time: while one waits for a script that hangs, the other works. */
const CONTAINERS = 2;
/** More would be the same few defects in other spellings. */
const MOST_FINDINGS = 20;

const MODES: readonly PermissionMode[] = ['default', 'plan', 'acceptEdits'];
const NO_RULE = rulesFor();
const RULES = [NO_RULE, rulesFor('Bash(ls:*)'), rulesFor('Bash(git log:*)')];

export async function findEffects({ seed, decided, executedShare, scratch }: Search): Promise<Found> {
  const world = worldIn(scratch);
  const source = candidates(new Dice(seed), { decided, executedShare }, world);
  const findings: Finding[] = [];
  const counts = await Promise.all(
    Array.from({ length: CONTAINERS }, () => execute(source, scratch, findings)),
  );
  const effects: string[] = [];
  for (const finding of findings.slice(0, MOST_FINDINGS)) {
    effects.push(await described(finding, scratch, world));
  }
  return { executed: counts.reduce((sum, count) => sum + count, 0), effects };
}

function rulesFor(...allow: string[]): Rules {
  return { allow: allow.map((text) => ({ text, source: 'user' })), ask: [], deny: [] };
}

function worldIn({ project, home, environment }: Scratch): PermissionWorld {
  const surroundings = { root: project, cwd: project, directories: [], home, configDirs: [], environment };
  return observeWorld(surroundings);
}

/** Allowed, and not because a mode allows edits: it must have no effect. */
function isProven({ script, mode, rules }: Candidate, world: PermissionWorld): boolean {
  const request = { tool: 'Bash', input: { command: script }, readOnly: false, hookDecision: undefined };
  const { decision, readOnlyRun } = authorize(request, rules, mode, world);
  return decision === 'allow' && (readOnlyRun === 'preferred' || mode !== 'acceptEdits');
}

/** Each script once, under one of the settings. Every script is decided; the executed share is spread over all of them. */
function* candidates(
  dice: Dice,
  { decided, executedShare }: Pick<Search, 'decided' | 'executedShare'>,
  world: PermissionWorld,
): Generator<Candidate, undefined> {
  const seen = new Set<string>();
  for (let count = 1; count <= decided; count++) {
    const script = dice.roll(3) === 0 ? randomScript(dice) : mutatedScript(dice);
    const candidate = { script, mode: dice.pick(MODES, 'default'), rules: dice.pick(RULES, NO_RULE) };
    if (!isProven(candidate, world) || seen.has(script) || seen.size >= count * executedShare) continue;
    seen.add(script);
    yield candidate;
  }
}

/** Takes batches from a source that all containers share. */
async function execute(source: Generator<Candidate>, scratch: Scratch, findings: Finding[]): Promise<number> {
  let executed = 0;
  while (findings.length < MOST_FINDINGS) {
    const batch: Candidate[] = [];
    for (let next = source.next(); !next.done; next = source.next()) {
      batch.push(next.value);
      if (batch.length === BATCH) break;
    }
    if (batch.length === 0) return executed;
    const effects = await scratch.run(batch.map(({ script }) => script));
    batch.forEach((candidate, index) => {
      const effect = effects[index];
      if (effect !== undefined) findings.push({ ...candidate, effect });
    });
    executed += batch.length;
  }
  return executed;
}

async function described(finding: Finding, scratch: Scratch, world: PermissionWorld): Promise<string> {
  const { mode, rules, effect } = finding;
  const short = await reduced(finding.script, async (script) => {
    if (!isProven({ script, mode, rules }, world)) return false;
    const [again] = await scratch.run([script]);
    return again !== undefined;
  });
  const allowed = rules.allow.map(({ text }) => text).join(', ') || 'no rule';
  return `${mode}, ${allowed}: ${JSON.stringify(short)} ${effect}`;
}
