/** The input of the explorer: a configuration of the machine, and a world with every possible outcome. */
import {
  type ConfigChanges,
  DEFAULT_GATES,
  DEFAULT_LIMITS,
  type Gates,
  type Limits,
  type QueryConfig,
  queryConfig,
} from '@heddle/core';

export interface Scenario {
  readonly name: string;
  readonly config: QueryConfig;
  /** Calls that can return the same result again. Any other call is a new one. */
  readonly repeatable: readonly string[];
}

export type ScenarioOptions = ConfigChanges & Pick<Scenario, 'name'> & Partial<Pick<Scenario, 'repeatable'>>;

/** The same machine with shorter counts: every guard still has a before, an at and an after. */
export const SMALL_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  outputRecoveries: 2,
  stopHookBlocks: 1,
  autoCompactFailures: 1,
  repetitionNudge: 1,
  repetitionStop: 2,
  budgetContinuations: 1,
};

const EVERY_RECOVERY: Gates = { ...DEFAULT_GATES, contextCollapse: true };

export function scenario({
  name,
  repeatable = ['the same call'],
  gates,
  limits,
  ...rest
}: ScenarioOptions): Scenario {
  return {
    name,
    repeatable,
    config: queryConfig({
      sessionId: 'explored',
      ...rest,
      gates: { ...EVERY_RECOVERY, ...gates },
      limits: { ...SMALL_LIMITS, ...limits },
    }),
  };
}

/** Returns true if the run continues until its token budget is used. */
export function followsBudget({ gates, tokenBudget, isSubagent }: QueryConfig): boolean {
  return gates.tokenBudget && tokenBudget !== undefined && !isSubagent;
}
