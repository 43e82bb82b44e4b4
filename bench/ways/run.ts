import { aiSdkLoop } from './ai-sdk.js';
import { anthropicLoop } from './anthropic-messages.js';
import { langchainLoop } from './langchain.js';
import { meter, readPrices } from './meter.js';
import { openaiChat } from './openai-chat.js';
import { steps, toolLoopServer } from './scripted-loop.js';
import { glueLines } from './way.js';
import type { Way } from './way.js';

async function measured(way: Way) {
  const server = await toolLoopServer(way.api);
  const { fetch, figures } = meter();
  let problem: unknown;
  await way.run(server.baseURL, fetch).catch((error: unknown) => (problem = error));
  await server.close();
  if (problem !== undefined && figures().refused === 0) throw problem;
  return figures();
}

const thousands = (tokens: number) => `${Math.round(tokens / 1_000).toLocaleString('en')}k`;
const share = (part: number, whole: number) => (part / whole).toFixed(3).replace(/^0/, '');

console.log(
  `Node ${process.version}, loops of ${steps} model calls. Bill: to none, at w = 1.25 and r = ${readPrices.join(' / ')}.\n`,
);
// Written beside the lock of its framework, which needs Node 22.
const { openaiAgentsLoop } = (await import('../../integrations/node22/ways/openai-agents.js')) as {
  readonly openaiAgentsLoop: readonly Way[];
};
for (const ways of [openaiChat, anthropicLoop, aiSdkLoop, langchainLoop, openaiAgentsLoop]) {
  console.log(`| ${ways[0]?.loop} | lines of glue | tokens sent | bill | rewrites | refused | calls made |`);
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  let none: Awaited<ReturnType<typeof measured>> | undefined;
  for (const way of ways) {
    const figures = await measured(way);
    none ??= figures;
    const { bills, tokens, rewrites, refused, answers } = figures;
    const bill = answers < steps ? '—' : bills.map((each, row) => share(each, none?.bills[row] ?? 1)).join(' / ');
    console.log(
      `| ${way.name} | ${glueLines(way)} | ${thousands(tokens)} | ${bill} | ${rewrites} | ${refused} | ${answers} |`,
    );
  }
  console.log();
}
