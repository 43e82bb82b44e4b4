import type { Act, Step, Trouble } from './model.js';
import { documentName, partName } from './place.js';
import { errandsAt, long, once, picturesAt, reading } from './scenarios.js';
import type { Scenario } from './scenarios.js';

const troubles: Readonly<Record<number, Trouble>> = { 6: 'rate-limit', 12: 'server-error', 34: 'overloaded' };
const crashes: readonly number[] = [9, 30, 50];

const actAt = (at: (step: number) => boolean, act: Act) => (step: number) =>
  at(step) ? ({ acts: [act] } satisfies Partial<Step>) : undefined;

/**
 * As {@link reading}, without a file that is read twice: who reads one again has lost it. What is needed stands in the middle of a file, where no
 * summary has it from.
 */
const readingOnce = reading(long, 0, (step) => ({
  needsMiddle: true,
  ...(step % 3 === 2
    ? { acts: [step, long + Math.floor(step / 3)].map((number) => ({ act: 'read', file: partName(number) })) }
    : {}),
}));

/** The scenarios of the gateway. The environment of each names proxies that lead nowhere, but for 127.0.0.1. */
export const gatewayScenarios: readonly Scenario[] = [
  { name: 'long', invocations: once(reading(long)), condensations: 3 },
  { name: 'sub-agents', invocations: once(reading(60, 0, errandsAt)), condensations: 1, needsSubAgents: true },
  {
    name: 'tool-search',
    invocations: once(
      reading(
        60,
        0,
        actAt((step) => step % 20 === 5, { act: 'search-tools' }),
      ),
    ),
    condensations: 1,
    needs: 'tool search' as const,
  },
  { name: 'images', invocations: once(reading(60, 0, picturesAt)), condensations: 1 },
  {
    name: 'document',
    invocations: once(
      reading(
        60,
        0,
        actAt((step) => step % 20 === 3, { act: 'read', file: documentName }),
      ),
    ),
    condensations: 1,
    needs: 'documents' as const,
  },
  {
    name: 'errors',
    invocations: once(reading(60, 0, (step) => (step in troubles ? { trouble: troubles[step] } : undefined))),
    condensations: 1,
    refusals: 3,
  },
  {
    name: 'overflow',
    invocations: once(reading(60, 0, (step) => (step >= 25 ? { trouble: 'too-long' } : undefined))),
    refusals: 1,
  },
  {
    name: 'crash',
    invocations: once(reading(60, 0, (step) => (crashes.includes(step) ? { trouble: 'gateway-crash' } : undefined))),
    condensations: 2,
  },
  {
    name: 'restart',
    invocations: [{ does: 'prompt' as const, steps: reading(long), endsAtCondensation: true }],
    condensations: 3,
  },
  {
    name: 'other-key',
    invocations: [
      { does: 'prompt' as const, steps: reading(40) },
      { does: 'prompt' as const, steps: reading(20, 40), hasOtherKey: true },
    ],
    condensations: 1,
  },
  {
    name: 'other-model',
    invocations: [
      { does: 'prompt' as const, steps: reading(40) },
      { does: 'prompt' as const, steps: reading(20, 40), hasOtherModel: true },
    ],
    condensations: 1,
  },
  {
    name: 'compact',
    invocations: [
      { does: 'prompt' as const, steps: reading(40) },
      { does: 'compact' as const, steps: [] },
      { does: 'prompt' as const, steps: reading(25, 40) },
    ],
    condensations: 1,
  },
  { name: 'key-helper', invocations: once(reading(60)), condensations: 1, needs: 'key helper' as const },
  { name: 'proxy', invocations: once(reading(40)), condensations: 1, isProxied: true },
  { name: 'settings', invocations: once(reading(40)), condensations: 1, hasUrlInSettings: true },
  { name: 'short', invocations: once(reading(25)), condensations: 1 },
  { name: 'bill-none', way: 'none' as const, invocations: once(readingOnce) },
  { name: 'bill', invocations: once(readingOnce) },
  { name: 'bill-exact', invocations: once(readingOnce), need: 'exact' as const },
  { name: 'bill-varying', invocations: once(readingOnce), need: 'varying' as const },
].map((scenario): Scenario => ({ way: 'gateway', ...scenario, name: `gateway-${scenario.name}` }));
