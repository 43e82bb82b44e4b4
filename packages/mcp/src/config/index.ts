export type {
  McpHttpServer,
  McpServerConfig,
  McpServerLimits,
  McpServerSettings,
  McpStdioServer,
} from './server-config.js';
export { mcpServerConfig, mcpServerSchema, namedVariables, serverNamePattern, shownServer } from './server-config.js';
