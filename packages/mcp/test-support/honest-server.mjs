/** A server made with the SDK, over its input and output. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { addTools } from './tools.mjs';

serveStdio(() => addTools(new McpServer({ name: 'honest', version: '1.0.0' }, { instructions: 'Be kind.' })));
