import type { FirstSubject } from './first-calls.js';
import { never, summary } from './histories.js';
import type { Host, idle } from './ours.js';

const packages = ['@palimpsest/messages', '@palimpsest/condensers'];

/** Returns the first fit of a host, by policy. */
export function firstFits<Held>(
  host: string,
  more: readonly string[],
  load: () => Promise<Host<Held>>,
): readonly FirstSubject[] {
  return (['nothing', 'priced, none due'] satisfies (keyof typeof idle)[]).map((policy) => ({
    name: `palimpsest fit, ${host}, ${policy}`,
    packages: [...more, ...packages],
    load: async () => {
      const ours = await import('./ours.js');
      return ours.fitting(await load(), policy, ours.idle[policy]);
    },
  }));
}

export const firstSubjects: readonly FirstSubject[] = [
  ...firstFits('chat', [], async () => (await import('./ours.js')).chat),
  ...firstFits('AI SDK', ['@palimpsest/ai-sdk'], async () => (await import('./ai-sdk.js')).aiSdk),
  ...firstFits('LangChain', ['@palimpsest/langchain'], async () => (await import('./langchain.js')).langchain),
  {
    name: 'langchain summarizationMiddleware',
    packages: ['langchain'],
    load: async () => (await import('./langchain.js')).summarizing(never, never, summary),
  },
  {
    name: 'langchain contextEditingMiddleware',
    packages: ['langchain'],
    load: async () => (await import('./langchain.js')).editing(never),
  },
  { name: 'ai pruneMessages', packages: ['ai'], load: async () => (await import('./ai-sdk.js')).pruning(never) },
];
