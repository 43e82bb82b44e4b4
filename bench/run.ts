import { decisions, firstCondensation } from './condense.js';
import { changed, first, further, memory, pause, thinking } from './fit.js';
import { freshProcess } from './fresh.js';
import { gatewayRequests } from './gateway.js';
import { measuredLogs, recordings } from './histories.js';
import type { LogOf } from './histories.js';
import { coldLoad, replay } from './load.js';
import type { Row } from './measure.js';
import { starts } from './start.js';
import { agentSteps, appends } from './store.js';
import { bodies, messagesOfLog, projectionSteps } from './view.js';

type Measurement = (logOf: LogOf) => Promise<readonly Row[]>;

/** The measurements that run without a name. */
const bounded: Readonly<Record<string, Measurement>> = {
  log: messagesOfLog,
  projection: projectionSteps,
  body: bodies,
  first,
  thinking,
  further,
  changed,
  fresh: freshProcess,
  pause,
  condense: firstCondensation,
  memory,
  replay,
  load: coldLoad,
  gateway: gatewayRequests,
};
const all: Readonly<Record<string, Measurement>> = {
  ...bounded,
  decisions,
  append: appends,
  steps: agentSteps,
  start: starts,
};

const arguments_ = process.argv.slice(2);
const names = arguments_.length === 0 ? Object.keys(bounded) : arguments_;
const unknown = names.find((name) => all[name] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no measurement '${unknown}'. There are: ${Object.keys(all).join(', ')}.`);

const line = (cells: readonly string[]): void => {
  const widths = [78, 8, 5, 5, 3];
  console.log(`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
};
const sessions = recordings === undefined ? 'synthetic sessions of like shape, and so no replay' : 'recorded sessions';
console.log(
  `Node ${process.version}, CPU, ${sessions}. Ratios are to JSON.stringify of the same messages where no other floor is named.\n`,
);
line(['what', 'figure', 'bound', 'aim', 'met']);
line(['---', '---', '---', '---', '---']);
const logOf = await measuredLogs();
for (const name of names) {
  for (const { what, figure, unit, limits: [bound, aim] = [] } of (await all[name]?.(logOf)) ?? []) {
    const shown = Number(figure.toPrecision(figure < 100 ? 2 : 3));
    const met = bound === undefined ? '' : figure <= bound ? 'yes' : 'no';
    line([what, unit === undefined ? `${shown} ×` : `${shown} ${unit}`, `${bound ?? ''}`, `${aim ?? ''}`, met]);
  }
}
