// A process whose first work is a fit: prints what loading the packages and the fit take. Unit: microseconds of CPU.
import { readFileSync } from 'node:fs';

const [, , file = '', policy] = process.argv;
const messages = JSON.parse(readFileSync(file, 'utf8'));
const started = process.cpuUsage();
const { noOpCondenser, pricedCondenser } = await import('@palimpsest/condensers');
const { chatMessages, condensedHistory } = await import('@palimpsest/messages');
const condenser = policy === 'nothing' ? noOpCondenser() : pricedCondenser({ prices: { read: 0, write: 1.25 } });
const options = { condenser, codec: chatMessages(), model: 'gpt-5', contextWindow: 1_000_000_000 };
const history = condensedHistory(options);
const loaded = process.cpuUsage();
const { condensations, problem, tokensBefore, tokensAfter } = await history.fit(messages);
const ended = process.cpuUsage();
if (condensations.length > 0 || problem !== undefined || !(tokensBefore > 0 && tokensAfter > 0)) {
  throw new Error('the fit did something else', { cause: problem });
}
const between = (from, to) => to.user + to.system - from.user - from.system;
console.log(JSON.stringify({ load: between(started, loaded), fit: between(loaded, ended) }));
