export { InvalidMcpServerError, McpServerError } from './errors.js';
export type { ConnectMcpServersOptions, McpServers, McpServerState } from './mcp-servers.js';
export { connectMcpServers } from './mcp-servers.js';
export type { McpHttpServer, McpServerConfig, McpServerLimits, McpStdioServer } from './server-config.js';
export { serverNamePattern } from './server-config.js';
export { toolPrefix } from './tool-names.js';
