/** The engine: one conversation with its session, its permissions and its hooks. */
export { type Agent, createAgent, mistakeInLimits } from './create-agent.ts';
export { readAgentFiles } from './agents/agent-files.ts';
export { BUILT_IN_AGENTS } from './agents/built-in.ts';
export {
  type AgentDefinition,
  agentHasTool,
  findAgent,
  decodeAgents,
  mergeAgents,
  serverToolNames,
} from './agents/definition.ts';
export { definedModel } from './subagents/child-options.ts';
export { stricterMode } from './subagents/child-permissions.ts';
export { compactionOverrides } from './context/overrides.ts';
export { admitMedia } from './context/admit-media.ts';
export type { ForkAnswer, SmallQuestion } from './fork/fork.ts';
export { QueryEngine } from './engine/engine.ts';
export type {
  AgentHooks,
  AgentOptions,
  AgentServers,
  ExpandedPrompt,
  ExtensionNames,
} from './engine/options.ts';
export { unaskedFilesOf, unaskedOwnFilesOf } from './engine/permission.ts';
export { runSideCall } from './engine/side-call.ts';
export { ToolRunner } from './engine/tool-runner.ts';
export { writeMention } from './attachments/mentions.ts';
export { createReadFileState } from './attachments/automatic-attachments.ts';
export type { Price } from './cost/usage-meter.ts';
export { systemClock } from '@heddle/models';
export { LivePermissions, type PermissionUpdate, ruleText } from './permission/live-permissions.ts';
export { isPrivateHostNamed } from './permission/rules/domain.ts';
export { DEFAULT_AGENT, ENGINE_TOOLS, isToolDenied } from './permission/rules/tool-names.ts';
export { permissionUpdates } from './permission/live-permissions.ts';
export type {
  Authorization,
  AuthorizeRequest,
  PermissionDecision as Decision,
  PartVerdict,
} from './permission/request.ts';
export {
  joinRules,
  NO_RULES,
  type PermissionRule as Rule,
  type RuleList,
  type Rules,
  type RuleSource,
} from './permission/rules/rule.ts';
export { StoredCosts, type Spending } from './cost/stored-costs.ts';
export { createCronTools } from './schedule/cron-tools.ts';
export { createTeamTools, type NewTeam, withTeamTasks } from './teams/team-tools.ts';
export { decodeEntry } from './session/codec/decode.ts';
export type { Durability } from './session/journal/journal.ts';
export { type Journal, JournalError } from './session/journal/journal.ts';
export { ownMemoryFolder } from './memory/project-memory.ts';
export { fileHistoryFolder } from './session/files/paths.ts';
export { readMemoryIndex } from './memory/memory-folder.ts';
export { memorySession } from './session/open/memory.ts';
export { newUuid } from './session/uuid.ts';
export {
  forkSession,
  newestSession,
  snapshotOf,
  newSession,
  type OpenedSession as Opened,
  type OpenSetup,
  recallSession,
  type ResumeChoice,
  resumeSession,
  type Session,
} from './session/open/open.ts';
export { failedStart, VERSION } from './engine/lines.ts';
export type { Changes, Prompt } from './engine/engine.ts';
export { currentBranch, sessionContext, type SessionContext } from './prompt/session-context.ts';
export { hostResult } from './sdk/tool-results.ts';
export { lineInProgress } from './sdk/subagent-lines.ts';
export type * from './sdk/message.ts';
export { totalCost } from './sdk/message.ts';
export type { AskPermission } from './permission/question.ts';
export type { PermissionAnswer } from './permission/question.ts';
export type { PermissionQuestion } from './permission/question.ts';
export { findProgram, ownEnvironment } from '@heddle/tools';
