/** Servers of the Model Context Protocol: their configuration, connections, tools, resources and prompts. */
export * from './config/index.ts';
export type {
  ClientServices,
  ElicitationAnswer,
  ElicitationQuestion,
  SamplingAnswer,
  SamplingQuestion,
} from './connection/client-services.ts';
export { readElicitation } from './connection/client-services.ts';
export type { SendToHost } from './connection/host-transport.ts';
export type { McpServer, ServerState, ServerStatus } from './connection/server.ts';
export { openCallback } from './oauth/oauth-callback.ts';
export { type BrowserLogin, StoredOAuth } from './oauth/stored-oauth.ts';
export { TokenStore } from './oauth/token-store.ts';
export { McpServers, type ServerReport, type ServersDeps } from './servers/mcp-servers.ts';
export type { ServerPrompt } from './servers/expand-prompt.ts';
export { cleanLine, cleanText } from './server-text.ts';
export { sharedPrefixOf, toolName } from './tools/tool-names.ts';
