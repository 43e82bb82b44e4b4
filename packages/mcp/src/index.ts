export type { McpHttpServer, McpServerConfig, McpServerLimits, McpStdioServer } from './config/server-config.js';
export { serverNamePattern } from './config/server-config.js';
export { InvalidMcpServerError, McpServerError } from './errors.js';
export type { ConnectMcpServersOptions, McpServers, McpServerState } from './servers.js';
export { connectMcpServers } from './servers.js';
export { toolPrefix } from './tool-list.js';
