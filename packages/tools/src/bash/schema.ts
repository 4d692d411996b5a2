import * as z from 'zod';

export const bashInput = z.strictObject({
  command: z.string().min(1).describe('Run by bash'),
  description: z.string().optional().describe('What it does, in five to ten words'),
  timeout: z.int().min(1).optional().describe('In milliseconds; 120000 unless given, at most 600000'),
  run_in_background: z.boolean().optional().describe('Return at once; read it later with TaskOutput'),
});

export type BashInput = z.infer<typeof bashInput>;
