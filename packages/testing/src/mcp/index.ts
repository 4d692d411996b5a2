/** MCP servers for tests of clients: as processes, and behind an address. */
export { misbehavingServer, type ServerCommand, testServer } from './test-servers.ts';
export { type RemoteServer, startRemoteServer } from './remote-server.ts';
