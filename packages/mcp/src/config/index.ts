/** The configuration of servers alone. The program reads it at every start, and loads the rest if there is a server. */
export {
  type ConfiguredServer,
  namesOfUsable,
  readConfig,
  readServers,
  serverAddress,
  type ServerConfig,
  type ServerScope,
  type ServersRead,
} from './server-config.ts';
export { isOpenPolicy, type ServerPolicy, serverPolicyOf } from './server-policy.ts';
