import { scriptedServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';

/** Model calls of a loop; the last one is answered by text. */
export const steps = 90;

export const instructions = 'You are a careful engineer. Read before you write, and say what you found.';
export const task = 'Find out why invoices are rounded twice, and mend it. The tests of the billing module must pass.';

/** The one tool, as JSON Schema. */
export const readFile = {
  name: 'read_file',
  description: 'Reads a file of the project.',
  schema: { type: 'object' as const, properties: { path: { type: 'string' as const } }, required: ['path'] },
};

/** Sizes of results, from one line to a whole file. Unit: characters. */
const sizes = [180, 7_200, 760, 3_200, 420, 22_000, 1_300, 4_800, 2_100, 11_000];

/** Returns the tool's result: lines of code, of which each is there once. */
export function resultOf(path: string): string {
  const number = Number(/\d+/.exec(path)?.[0]);
  const size = sizes[number % sizes.length] ?? 0;
  let text = `// ${path}\n`;
  for (let line = 0; text.length < size; line++) {
    text += `export const rounded${number}x${line} = (amount: Money) => scale(amount, ${(number * 37 + line * 11) % 97}, 'half-even');\n`;
  }
  return text;
}

/** Returns the calls of an answer: one, two in every third. */
function callsAt(step: number) {
  return Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => ({
    id: `call_${step}_${index}`,
    name: readFile.name,
    input: { path: `src/billing/part-${step + index * 4}.ts` },
  }));
}

const textAt = (step: number) =>
  step === steps - 1 ? 'Rounding is done once now.' : `Part ${step} rounds as its callers do; the next one imports it.`;

/** The answer of a framework's own summariser. Unit: about 600 tokens. */
const summary = 'The agent reads the billing module, and no part so far rounds twice. '.repeat(35);

/** Starts a server whose model goes on calling a tool. A request of OpenAI's without tools is a summariser's. */
export function toolLoopServer(api: 'openai' | 'anthropic'): Promise<ProviderServer> {
  let step = 0;
  return scriptedServer(api, (body) => {
    if (api === 'openai' && !Array.isArray(body.tools)) return { text: summary };
    const answer = { text: textAt(step), calls: step === steps - 1 ? [] : callsAt(step) };
    step++;
    return answer;
  });
}
