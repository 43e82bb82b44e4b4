import type { McpServer } from '@modelcontextprotocol/server';

export declare function addTools(server: McpServer): McpServer;
