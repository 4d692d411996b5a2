/** The configuration of MCP servers on this machine. */
export { configuredServers, type ServersRequest } from './configured-servers.ts';
export { addServer, type EditableScope, removeServer, type ServerEdit } from './edit-servers.ts';
