/** EnterPlanMode and ExitPlanMode: explore first, act when the user approves the plan. */
import type { PermissionMode, Tool, ToolUseContext } from '@heddle/core';
import { answerText } from '../ask/ask-user-question.ts';
import { inputSchemas } from '../generated/schemas.ts';
import type { EnterPlanModeInput, ExitPlanModeInput } from './schema.ts';

export interface PlanDeps {
  readonly approvePlan?: ((plan: string, signal: AbortSignal) => Promise<PlanDecision>) | undefined;
  /** The permission host has seen the plan, and approves it by permitting the call. */
  readonly permissionApproves?: boolean | undefined;
  /** The mode that the permission host has chosen with its answer. */
  readonly chosenMode?: (() => PermissionMode | undefined) | undefined;
  /** The mode of the conversation, if the user or a host has changed it since the turn began. */
  readonly currentMode?: (() => PermissionMode | undefined) | undefined;
  /** Changes the mode of the conversation. Returns false if the mode may not be switched on. */
  readonly changeMode?: ((mode: PermissionMode) => boolean) | undefined;
}

export type PlanDecision =
  /** `mode` is the next mode. Default: the mode before the plan. */
  | { readonly approved: true; readonly mode?: Exclude<PermissionMode, 'plan'> }
  | { readonly approved: false; readonly feedback?: string };

export interface PlanData {
  readonly plan?: string;
  readonly decision: PlanDecision | 'entered';
  readonly mode: PermissionMode;
}

export function createPlanTools({
  approvePlan,
  permissionApproves = false,
  chosenMode = () => undefined,
  currentMode = () => undefined,
  changeMode = () => true,
}: PlanDeps = {}): readonly [Tool<EnterPlanModeInput, PlanData>, Tool<ExitPlanModeInput, PlanData>] {
  /** The mode before the plan, by agent. */
  const before = new Map<string | undefined, PermissionMode>();
  const modeNow = ({ permissionMode, agentId }: ToolUseContext): PermissionMode =>
    (agentId === undefined ? currentMode() : undefined) ?? permissionMode;

  const enter: Tool<EnterPlanModeInput, PlanData> = {
    name: 'EnterPlanMode',
    description: 'Starts planning: nothing can be changed until the user has approved a plan.',
    inputJSONSchema: inputSchemas.EnterPlanMode,
    inputSchema: async () => (await import('./schema.ts')).enterPlanModeInput,
    ...COMMON,
    validateInput: (_, context) =>
      modeNow(context) === 'plan' ? { ok: false, message: 'You are planning already.' } : { ok: true },
    call(_, context) {
      before.set(context.agentId, modeNow(context));
      return Promise.resolve({ data: { decision: 'entered', mode: 'plan' }, newContext: modeTo('plan') });
    },
    toResult: () => ({ content: 'Planning. Look around, then give the plan to ExitPlanMode.' }),
  };

  const exit: Tool<ExitPlanModeInput, PlanData> = {
    name: 'ExitPlanMode',
    description: 'Shows your plan to the user. Once it is approved you can carry it out.',
    inputJSONSchema: inputSchemas.ExitPlanMode,
    inputSchema: async () => (await import('./schema.ts')).exitPlanModeInput,
    // Permission is asked for at the call itself.
    inputAliases: { allowedPrompts: null },
    ...COMMON,
    validateInput: (_, context) =>
      modeNow(context) === 'plan' ? { ok: true } : { ok: false, message: 'You are not planning: go ahead.' },
    async call({ plan }, context) {
      const { permissionMode, agentId, signal } = context;
      if (!approvePlan && !permissionApproves)
        throw new Error('There is no user to approve the plan. End your turn with the plan as your answer.');
      const decision = approvePlan
        ? await answerText(approvePlan(plan, signal), signal)
        : ({ approved: true } as const);
      if (!decision.approved) return { data: { plan, decision, mode: modeNow(context) } };
      // The loop keeps the mode of its start if the user chose to plan since then.
      const isChosenByUser = permissionMode !== 'plan';
      const earlier = isChosenByUser ? permissionMode : before.get(agentId);
      const wanted = decision.mode ?? chosenMode() ?? earlier ?? 'default';
      // For the loop, a return to its own mode is not a change. So the conversation is told.
      const mode = !isChosenByUser || changeMode(wanted) ? wanted : 'default';
      if (mode !== wanted) changeMode(mode);
      return { data: { plan, decision, mode }, newContext: modeTo(mode) };
    },
    toResult({ decision }) {
      if (decision === 'entered' || decision.approved)
        return { content: 'The user approved the plan. Carry it out.' };
      const why = decision.feedback ? `: ${decision.feedback}` : '.';
      return { content: `The user did not approve the plan${why}\nYou are still planning.` };
    },
  };

  return [enter, exit];
}

const COMMON = {
  isReadOnly: () => true,
  isConcurrencySafe: () => false,
  maxResultSize: 20_000,
  interruptBehavior: 'cancel',
} as const;

function modeTo(permissionMode: PermissionMode): (current: ToolUseContext) => ToolUseContext {
  return (current) => ({ ...current, permissionMode });
}
