import * as z from 'zod';

export const taskOutputInput = z.strictObject({
  task_id: z.string().min(1),
  offset: z.int().min(0).optional().describe('Byte to continue from; without it, the beginning and the end'),
  block: z.boolean().optional().describe('Wait for its end; true unless given'),
  timeout: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('How long to wait, in milliseconds; 30000 unless given'),
});

export const taskStopInput = z.strictObject({ task_id: z.string().min(1) });

export type TaskOutputInput = z.infer<typeof taskOutputInput>;
export type TaskStopInput = z.infer<typeof taskStopInput>;
