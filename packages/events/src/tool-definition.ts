import * as z from 'zod/mini';
import type { Immutable } from './immutable.js';
import { nonEmptyString } from './non-empty-string.js';

/** The schema of {@link ToolDefinition}. */
export const toolDefinitionSchema = z.object({
  name: nonEmptyString,
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.exactOptional(
    z.object({
      readOnly: z.exactOptional(z.boolean()),
      repeatable: z.exactOptional(z.boolean()),
      parallel: z.exactOptional(z.boolean()),
    }),
  ),
});

/**
 * The description of a tool for a model: its name, its purpose, and the JSON schema of its input. The annotations are for the
 * agent: `readOnly` changes nothing, `repeatable` may be run again after a crash, `parallel` may run beside others.
 */
export type ToolDefinition = Immutable<z.infer<typeof toolDefinitionSchema>>;
