import { writeFile } from 'node:fs/promises';
import { streamJsonSchema, streamVersion } from './output/stream-event.js';
import { settingsJsonSchema } from './settings/settings.js';

/** Writes the schemas that the package publishes. Tests compare them with the code. */
const schemas = { [`stream-json-${streamVersion}`]: streamJsonSchema(), config: settingsJsonSchema() };
for (const [name, schema] of Object.entries(schemas)) {
  await writeFile(new URL(`../schemas/${name}.json`, import.meta.url), `${JSON.stringify(schema, undefined, 2)}\n`);
}
