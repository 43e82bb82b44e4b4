export type { McpServerSettings } from './server-config.js';
export { mcpServerConfig, mcpServerSchema, namedVariables, serverNamePattern, shownServer } from './server-config.js';
