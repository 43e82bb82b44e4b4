import { z } from 'zod';
import { settingsSchema } from './settings.js';

/** Where the published schema can be read. */
const address = 'https://unpkg.com/@palimpsest/reference-agent/schemas/config.json';

/** The JSON schema of a configuration file, for editors. Published as `schemas/config.json`. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input', reused: 'inline' });
  return { $schema, $id: address, title: 'Configuration of palimpsest', ...schema };
}
