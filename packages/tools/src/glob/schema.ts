import * as z from 'zod';

export const globInput = z.strictObject({
  pattern: z.string().min(1).describe('Such as "src/**/*.ts"'),
  path: z.string().min(1).optional().describe('Folder; the working directory unless given'),
});

export type GlobInput = z.infer<typeof globInput>;
