import { coloursFor, linePrinter, printableLine, printableJson } from '@palimpsest/terminal';
import { runScenario } from '../scenario/run-scenario.js';
import type { ScenarioResult } from '../scenario/run-scenario.js';
import { readScenario } from '../scenario/scenario-file.js';
import type { Output } from './inspect.js';

/** Options of `palimpsest-harness scenario`, as the command line gives them. */
export interface ScenarioCommandOptions {
  readonly json: boolean;
}

/**
 * Runs scenarios and prints what became of them. Resolves to the exit code: 0 if every expectation is met, else 1.
 *
 * @throws {@link HarnessError} `scenario` before any scenario runs, when a file is no scenario; names file, line and column.
 */
export async function scenarioCommand(
  files: readonly string[],
  options: ScenarioCommandOptions,
  output: Output = process.stdout,
): Promise<number> {
  const scenarios = [];
  for (const file of files) scenarios.push(await readScenario(file));
  const print = linePrinter(output);
  const colours = coloursFor(output);
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    const result = await runScenario(scenario);
    results.push(result);
    if (options.json) continue;
    const mark = result.failures.length === 0 ? colours.green('✓') : colours.red('✗');
    await print(`${mark} ${printableLine(result.file)}: ${printableLine(result.name)}`);
    for (const { where, message } of result.failures)
      await print(`    ${printableLine(where)}: ${printableLine(message)}`);
  }
  if (options.json) await print(printableJson({ scenarios: results }));
  return results.every(({ failures }) => failures.length === 0) ? 0 : 1;
}
