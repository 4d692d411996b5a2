/** A violated law and the shortest path to it. */
export interface LawViolation {
  readonly law: string;
  readonly scenario: string;
  readonly message: string;
  /** One line per step: the performed effect and its outcome. */
  readonly trace: readonly string[];
}

export function describeViolation({ law, scenario, message, trace }: LawViolation): string {
  const lines = trace.map((line, at) => `  ${String(at + 1).padStart(2)}  ${line}`);
  return [`Broken: ${law}.`, `In "${scenario}": ${message}.`, ...lines].join('\n');
}
