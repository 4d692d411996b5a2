import * as z from 'zod';

export const bashInput = z.strictObject({
  command: z.string().min(1).describe('The command, run by bash in the working directory'),
  description: z.string().optional().describe('What it does, in five to ten words'),
  timeout: z.int().min(1).max(600_000).optional().describe('Time limit in milliseconds; 120000 by default'),
});

export type BashInput = z.infer<typeof bashInput>;
