/** Runs commands in a sandbox: policy, start, and behavior if no sandbox is available. */
export { checkSandbox, type SandboxCheck } from './check.ts';
export { createSandboxGate, type SandboxOptions } from './create.ts';
export { noSandbox, type SandboxGate, WITHOUT_SANDBOX } from './gate.ts';
export { REACH_HOST } from './hosts.ts';
export type { SandboxPolicy } from './policy/policy.ts';
export type { SandboxReadiness as Readiness, Sandbox, Wrapped, WrappedEnd, Wrapping } from './sandbox.ts';
export { createReadOnlyView, type ReadOnlyView, type ViewReadiness } from './view/view.ts';
