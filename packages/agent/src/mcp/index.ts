/** The configuration of MCP servers on this machine. */
export { type ConfiguredServers, findServers, type FoundServers, serverFiles } from './configured-servers.ts';
export { addServer, type EditableScope, removeServer, type ServerEdit } from './edit-servers.ts';
