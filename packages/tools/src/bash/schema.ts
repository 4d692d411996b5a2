import * as z from 'zod';

export const bashInput = z.strictObject({
  command: z.string().min(1).describe('Run by bash'),
  description: z.string().optional().describe('Its purpose in five to ten words'),
  timeout: z.int().min(1).optional().describe('In milliseconds; 120000 unless given, at most 600000'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Return at once; you are told when it ends, and can read it with TaskOutput'),
  dangerouslyDisableSandbox: z
    .boolean()
    .optional()
    .describe('Run it outside of the sandbox, after one inside was refused; the user is asked'),
});

export type BashInput = z.infer<typeof bashInput>;

export const monitorInput = z.strictObject({
  command: z.string().min(1).describe('Run by bash. Each line that it writes becomes a message'),
  description: z.string().optional().describe('Its purpose in five to ten words'),
  contains: z.string().min(1).optional().describe('Only lines with this text become messages'),
  timeout: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .optional()
    .describe('When the command is ended, in milliseconds; 1800000 unless given'),
});

export type MonitorInput = z.infer<typeof monitorInput>;
