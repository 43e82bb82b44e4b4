// #region example
import { createEvent, userMessage } from '@palimpsest/events';
import { isCondensation, ViewProjection, type CondenseContext } from '@palimpsest/view';
import { extractiveSummaryCondenser, observationMaskingCondenser, pipelineCondenser } from './index.js';

const condenser = pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser({ maxSize: 40 })]);
const log = new ViewProjection();
log.append(userMessage('Count the files, one folder at a time.'));
const context: CondenseContext = {
  contextWindow: 200_000,
  // What is in the log holds back a model that fails; without it, it is asked at each step.
  report: (attempt) => log.append(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt })),
};
for (let step = 1; step <= 100; step++) {
  // Before each model call: condense, and once more when something was condensed.
  let result = await condenser.condense(log.view, context);
  while (isCondensation(result)) {
    log.append(result);
    result = await condenser.condense(log.view, context);
  }
  const messages = result.toMessages(); // send these to any model; here its answer is a tool call
  const toolCall = { id: `call-${step}`, name: 'bash', arguments: `{"command":"ls folder-${step} | wc -l"}` };
  log.append(createEvent('action', { thought: [], toolCall, llmResponseId: `response-${step}` }));
  const content = [{ type: 'text', text: `${messages.length}` }] as const;
  log.append(createEvent('observation', { toolName: 'bash', toolCallId: toolCall.id, content }));
}
// #endregion
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the example of the README runs, and stays under its bound', () => {
  expect(log.view.condensations.length).toBeGreaterThan(3);
  expect(log.view.events.length).toBeLessThanOrEqual(42);
});

test('it is the code that stands in the README', async () => {
  const source = await readFile(new URL('readme.test.ts', import.meta.url), 'utf8');
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /\/\/ #region example\n([\s\S]*?)\/\/ #endregion/
    .exec(source)?.[1]
    ?.replace("'./index.js'", "'@palimpsest/condensers'");
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
});
