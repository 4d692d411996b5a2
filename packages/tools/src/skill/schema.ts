import * as z from 'zod';

export const skillInput = z.strictObject({
  skill: z.string().min(1).describe('The name of the skill'),
  args: z.string().optional().describe('Arguments for the skill, as the user would type them'),
});

export type SkillInput = z.infer<typeof skillInput>;
