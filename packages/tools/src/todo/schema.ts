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

const status = z.enum(['pending', 'in_progress', 'completed']);

export const taskCreateInput = z.strictObject({
  subject: z.string().min(1),
  description: z.string().optional(),
  activeForm: z.string().optional().describe('Shown while it is in progress'),
});

export const taskUpdateInput = z.strictObject({
  taskId: z.string().min(1),
  subject: z.string().min(1).optional(),
  description: z.string().optional(),
  activeForm: z.string().optional(),
  status: z.enum([...status.options, 'deleted']).optional(),
  owner: z.string().optional(),
  addBlocks: z.array(z.string()).optional().describe('Tasks that must wait for this one'),
  addBlockedBy: z.array(z.string()).optional().describe('Tasks that this one must wait for'),
});

export const taskGetInput = z.strictObject({ taskId: z.string().min(1) });
export const taskListInput = z.strictObject({});

export type TaskCreateInput = z.infer<typeof taskCreateInput>;
export type TaskUpdateInput = z.infer<typeof taskUpdateInput>;
export type TaskGetInput = z.infer<typeof taskGetInput>;
export type TaskListInput = z.infer<typeof taskListInput>;
export type TodoWriteInput = z.infer<typeof todoWriteInput>;
