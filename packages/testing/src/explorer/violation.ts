/** A law that was broken, and the shortest way there. */
export interface LawViolation {
  readonly law: string;
  readonly scenario: string;
  readonly message: string;
  /** One line a step: the effect that was performed, and what came back. */
  readonly trace: readonly string[];
}

export function describeViolation({ law, scenario, message, trace }: LawViolation): string {
  const lines = trace.map((line, at) => `  ${String(at + 1).padStart(2)}  ${line}`);
  return [`Broken: ${law}.`, `In "${scenario}": ${message}.`, ...lines].join('\n');
}
