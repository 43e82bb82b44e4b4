import * as z from 'zod';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** Adds tools to a server of the SDK. */
export function addTools(server) {
  server.registerTool(
    'echo',
    {
      description: 'Says the same.',
      inputSchema: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ words }) => text(words),
  );
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({
      content: [],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('image', { inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'of a' } },
    ],
  }));
  server.registerTool('fail', { inputSchema: z.object({}) }, () => ({ ...text('It is broken.'), isError: true }));
  server.registerTool('variables', { inputSchema: z.object({}) }, () => text(JSON.stringify(process.env)));
  server.registerTool('rest', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    process.stderr.write('resting\n');
    await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
    process.stderr.write('woken\n');
    return text('never read');
  });
  return server;
}
