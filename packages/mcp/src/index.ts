export type { McpServerConfig } from './config/server-config.js';
export { InvalidMcpServerError, McpServerError } from './errors.js';
export type { ConnectMcpServersOptions, McpServers, McpServerState } from './servers.js';
export { connectMcpServers } from './servers.js';
export { toolPrefix } from './tool-list.js';
