import { z } from 'zod';
import type { Immutable } from './immutable.js';

/** The schema of {@link ToolDefinition}. */
export const toolDefinitionSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z
    .object({
      readOnly: z.boolean().exactOptional(),
      repeatable: z.boolean().exactOptional(),
      parallel: z.boolean().exactOptional(),
    })
    .exactOptional(),
});

/**
 * What a model is told of a tool: its name, what it is for, and the JSON schema of its input. The annotations are for the
 * agent: `readOnly` changes nothing, `repeatable` may be run again after a crash, `parallel` may run beside others.
 */
export type ToolDefinition = Immutable<z.infer<typeof toolDefinitionSchema>>;
