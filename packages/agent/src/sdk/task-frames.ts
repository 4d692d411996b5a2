/** The messages about background tasks and subagents. */
import * as z from 'zod';
import { envelope } from './frame-fields.ts';

export const taskStarted = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('task_started'),
    task_id: z.string(),
    tool_use_id: z.string().exactOptional(),
    description: z.string(),
    task_type: z.enum(['local_bash', 'local_agent']),
    is_backgrounded: z.boolean(),
    subagent_type: z.string().exactOptional(),
    prompt: z.string().exactOptional().describe('the task of a subagent'),
    spawn_depth: z.number().exactOptional().describe('2 or more: another subagent started it'),
    parent_task_id: z.string().exactOptional().describe('the subagent that started it'),
  })
  .describe('A command continues in the background, or a subagent starts.');

export const taskUsage = z.object({
  total_tokens: z.number(),
  tool_uses: z.number(),
  duration_ms: z.number(),
});

export const taskProgress = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('task_progress'),
    task_id: z.string(),
    tool_use_id: z.string().exactOptional(),
    description: z.string(),
    usage: taskUsage,
    last_tool_name: z.string().exactOptional(),
  })
  .describe('A subagent makes a call.');

export const taskUpdated = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('task_updated'),
    task_id: z.string(),
    patch: z.object({
      status: z.enum(['running', 'completed', 'failed', 'killed']).exactOptional(),
      end_time: z.number().exactOptional(),
      error: z.string().exactOptional(),
      is_backgrounded: z.boolean().exactOptional(),
    }),
  })
  .describe('The state of a background task or a subagent changed.');

export const backgroundTasksChanged = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('background_tasks_changed'),
    tasks: z
      .array(
        z.strictObject({
          task_id: z.string(),
          task_type: z.enum(['local_bash', 'local_agent']),
          description: z.string(),
        }),
      )
      .readonly(),
  })
  .describe('The list of running background tasks changed. The line contains all of them.');

export const taskNotification = z
  .strictObject({
    ...envelope,
    type: z.literal('system'),
    subtype: z.literal('task_notification'),
    task_id: z.string(),
    tool_use_id: z.string().exactOptional(),
    status: z.enum(['completed', 'failed', 'stopped']),
    output_file: z.string().describe('the file with its whole output, or an empty string'),
    summary: z.string(),
    usage: taskUsage.exactOptional(),
  })
  .describe('A background task or a subagent ended.');
