import * as z from 'zod';

export const todoWriteInput = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: z.string().optional().describe('Shown while it is in progress'),
      }),
    )
    .describe('The whole list; it replaces the one before'),
});

export type TodoWriteInput = z.infer<typeof todoWriteInput>;
