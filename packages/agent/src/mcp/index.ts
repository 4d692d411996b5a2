/** The configuration of MCP servers on this machine. */
export { type ConfiguredServers, configuredServers, serverFiles } from './configured-servers.ts';
export { addServer, type EditableScope, removeServer, type ServerEdit } from './edit-servers.ts';
