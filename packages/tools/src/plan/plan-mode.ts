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
  /** How the plan mode of the conversation began. `before` is the mode that an update had set until then. */
  readonly planStart?:
    | (() => { readonly isChosen: boolean; readonly before: PermissionMode | undefined } | undefined)
    | undefined;
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
  planStart,
  changeMode = () => true,
}: PlanDeps = {}): readonly [Tool<EnterPlanModeInput, PlanData>, Tool<ExitPlanModeInput, PlanData>] {
  /** The mode before the plan, by agent. */
  const before = new Map<string | undefined, PermissionMode>();
  const modeNow = ({ permissionMode, agentId }: ToolUseContext): PermissionMode =>
    (agentId === undefined ? currentMode() : undefined) ?? permissionMode;
  /**
   * Returns the mode to return to. Only a plan that the model began, and that nothing has interrupted since, returns to any
   * mode. After plan mode was chosen, a plain approval does not switch off all questions.
   */
  const modeBefore = ({ permissionMode, agentId }: ToolUseContext): PermissionMode => {
    const start = agentId === undefined ? planStart?.() : undefined;
    const isBegunByModel = agentId !== undefined || !planStart || start?.isChosen === false;
    // The loop keeps the mode of its start if the user chose to plan since then.
    if (isBegunByModel && permissionMode === 'plan') return before.get(agentId) ?? 'default';
    const earlier = start?.before ?? permissionMode;
    return earlier === 'plan' || earlier === 'bypassPermissions' ? 'default' : earlier;
  };

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
      const wanted = decision.mode ?? chosenMode() ?? modeBefore(context);
      before.delete(agentId);
      // For the loop, a return to its own mode is not a change. So the conversation is told.
      const mode = permissionMode === 'plan' || changeMode(wanted) ? wanted : 'default';
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
