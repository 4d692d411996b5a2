import * as z from 'zod';

export const enterPlanModeInput = z.strictObject({});
export const exitPlanModeInput = z.strictObject({
  plan: z.string().min(1).describe('The whole plan, in markdown'),
});

export type EnterPlanModeInput = z.infer<typeof enterPlanModeInput>;
export type ExitPlanModeInput = z.infer<typeof exitPlanModeInput>;
