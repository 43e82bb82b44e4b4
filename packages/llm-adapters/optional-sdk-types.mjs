// After the build: lets the declarations type-check where an SDK, an optional peer, is not installed. Its types are `any` there, and
// the SDK's own where it is. The bundler of declarations keeps no comment before an import, so this is written behind it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const dist = path.join(import.meta.dirname, 'dist');
const sdkImport = /^import .* from '(?:openai|@anthropic-ai\/sdk)';$/gm;

for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!/\.d\.c?ts$/.test(name)) continue;
  const file = path.join(dist, name);
  const declarations = readFileSync(file, 'utf8');
  const marked = declarations.replace(sdkImport, '// @ts-ignore An optional peer.\n$&');
  if (marked !== declarations) writeFileSync(file, marked);
}
