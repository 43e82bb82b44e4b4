// Renders each hostile template, one after the other: bundled and run as a process of its own, which can be ended.
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseTemplate, PromptTemplateError } from '../src/index.js';
import { hostileTemplates } from './hostile-templates.js';

for (const { name, text, includes = {}, maxSteps } of hostileTemplates) {
  writeSync(1, `${JSON.stringify({ begins: name })}\n`);
  const start = performance.now();
  let outcome: string;
  try {
    outcome = `a text of ${parseTemplate(text, { includes, ...(maxSteps === undefined ? {} : { limits: { maxSteps } }) }).render({}).length} characters`;
  } catch (error) {
    outcome = PromptTemplateError.isInstance(error) ? error.message : `not typed: ${String(error)}`;
  }
  const milliseconds = Math.round(performance.now() - start);
  const megabytes = Math.round(process.memoryUsage().rss / 1_000_000);
  writeSync(1, `${JSON.stringify({ ends: name, outcome, milliseconds, megabytes })}\n`);
}
