/** `SdkMessage`: the output for a headless consumer. `frames.ts` has the schemas. This file does not load them. */
import type { Usage } from '@heddle/core';
import type * as z from 'zod';
import type * as frames from './frames.ts';
import type * as tasks from './task-frames.ts';

export type SdkInit = z.infer<typeof frames.init>;
export type SdkAssistant = z.infer<typeof frames.assistant>;
export type SdkUser = z.infer<typeof frames.user>;
export type SdkApiRetry = z.infer<typeof frames.apiRetry>;
export type SdkPermissionDenied = z.infer<typeof frames.permissionDenied>;
export type SdkInformational = z.infer<typeof frames.informational>;
export type SdkStatus = z.infer<typeof frames.status>;
export type SdkSessionState = z.infer<typeof frames.sessionState>;
export type SdkCommandsChanged = z.infer<typeof frames.commandsChanged>;
export type SdkCompactBoundary = z.infer<typeof frames.compactBoundary>;
export type SdkTaskStarted = z.infer<typeof tasks.taskStarted>;
export type TaskUsage = z.infer<typeof tasks.taskUsage>;
export type SdkBackgroundTask = z.infer<typeof tasks.backgroundTasksChanged>['tasks'][number];
export type SdkTaskNotification = z.infer<typeof tasks.taskNotification>;
export type SdkToolProgress = z.infer<typeof frames.toolProgress>;
export type SdkToolUseSummary = z.infer<typeof frames.toolUseSummary>;
export type SdkStreamEvent = z.infer<typeof frames.streamEvent>;
export type SdkCommandLifecycle = z.infer<typeof frames.commandLifecycle>;
export type SdkResult = z.infer<typeof frames.result>;
export type SdkUsage = z.infer<typeof frames.usage>;
export type ModelUsage = z.infer<typeof frames.modelUsage>;
export type PermissionDenial = z.infer<typeof frames.permissionDenial>;
export type ResultSubtype = SdkResult['subtype'];
export type SdkMessage = z.infer<(typeof frames.FRAMES)[keyof typeof frames.FRAMES]>;

/** Values of the server take precedence over assumed ones: cache marks of five minutes, and the standard tier. */
export function sdkUsage({ more = {}, ...counters }: Usage, webSearches = 0): SdkUsage {
  return {
    cache_creation: {
      ephemeral_5m_input_tokens: counters.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    },
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 },
    service_tier: 'standard',
    ...more,
    ...counters,
  };
}

/** Returns the cost of a session. Null if a part has no known price, because the sum would be too low. */
export function totalCost({
  costUsd,
  models,
}: {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, { readonly costUSD: number | null }>>;
}): number | null {
  return Object.values(models).some(({ costUSD }) => costUSD === null) ? null : costUsd;
}
