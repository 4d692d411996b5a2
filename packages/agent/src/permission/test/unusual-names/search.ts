/** Decides random commands with unusual names, runs the allowed ones, and reports those that reach a forbidden place. */
import { execFileSync } from 'node:child_process';
import type { PermissionMode } from '@heddle/core';
import { authorize } from '../../authorize.ts';
import { observeWorld } from '../../observe-world.ts';
import type { PermissionRule, Rules } from '../../rules/rule.ts';
import { choices } from '../choices.ts';
import { effectOf, runScript, type State, stateOf } from './effects.ts';
import { environmentOf, makeProject, makeTools, type Places } from './project.ts';
import { type RandomScript, randomScript } from './scripts.ts';

/** The scripts in one project. The next ones get other names. */
const PER_PROJECT = 150;

export function removeTree(place: string): void {
  execFileSync('rm', ['-rf', place]);
}

function renewProject(places: Places): State {
  removeTree(places.work);
  // `cpSync` would resolve the links.
  execFileSync('cp', ['-a', places.fixture, places.work]);
  return stateOf(places);
}

interface Setting {
  readonly isDenied: boolean;
  readonly isTrusted: boolean;
  readonly allowsEdits: boolean;
  readonly mode: PermissionMode;
}

function isAllowed(
  { script, rule }: RandomScript,
  { isDenied, isTrusted, allowsEdits, mode }: Setting,
  places: Places,
): boolean {
  const { project, home } = places;
  const surroundings = { root: project, cwd: project, directories: [], home, configDirs: [] };
  const world = observeWorld({
    ...surroundings,
    environment: environmentOf(places),
    isTrusted: () => isTrusted,
  });
  const rules = (texts: readonly string[]): PermissionRule[] =>
    texts.map((text) => ({ text, source: 'user' }));
  const given: Rules = {
    deny: rules(isDenied ? ['Read(./secrets/**)'] : []),
    ask: [],
    allow: rules([`Bash(${rule}:*)`, ...(allowsEdits ? ['Edit(./**)'] : [])]),
  };
  const request = { tool: 'Bash', input: { command: script }, readOnly: false, hookDecision: undefined };
  return authorize(request, given, mode, world).decision === 'allow';
}

export interface Found {
  readonly executed: number;
  readonly findings: readonly string[];
  readonly counts: ReadonlyMap<string, readonly [number, number]>;
}

export interface SearchOptions {
  readonly seed: number;
  readonly count: number;
  /** The start of the rules whose commands are tried. */
  readonly only?: string;
  readonly report?: (line: string) => void;
  /** Decides whether a script runs. */
  readonly decide?: typeof isAllowed;
}

export function searchNames(
  places: Places,
  { seed, count, only = '', report, decide = isAllowed }: SearchOptions,
): Found {
  makeTools(places);
  const findings: string[] = [];
  const counts = new Map<string, readonly [number, number]>();
  let executed = 0;
  for (let done = 0; done < count; done += PER_PROJECT) {
    const choose = choices(Math.imul(seed + done, 2_654_435_761));
    const names = makeProject(places, choose);
    let before = renewProject(places);
    for (let index = 0; index < Math.min(PER_PROJECT, count - done); index++) {
      const flag = (): boolean => choose([true, false]);
      const setting: Setting = {
        isDenied: flag(),
        isTrusted: choose([true, true, true, false]),
        allowsEdits: flag(),
        mode: choose(['default', 'acceptEdits']),
      };
      const tried = randomScript({ names, places, choose, isDenied: setting.isDenied }, only);
      const [all, run] = counts.get(tried.rule) ?? [0, 0];
      const isRun = decide(tried, setting, places);
      counts.set(tried.rule, [all + 1, run + (isRun ? 1 : 0)]);
      if (!isRun) continue;
      executed++;
      const printed = runScript(places, tried.script);
      const after = stateOf(places, before);
      const effect = effectOf(before, after, { rule: tried.rule, printed, isDenied: setting.isDenied });
      if (effect !== undefined) findings.push(JSON.stringify({ ...tried, effect, ...setting }));
      report?.(JSON.stringify({ ...tried, effect, ...setting }));
      if (after.times !== before.times) before = renewProject(places);
    }
  }
  return { executed, findings, counts };
}
