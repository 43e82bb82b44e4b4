import { modelFacts } from '@palimpsest/llm-adapters';
import type { Engine } from './host.js';
import { windowIn } from './limits.js';
import type { Windows } from './limits.js';

/** The smallest window that Claude Code takes: it asks from 67,000 tokens on. */
const askingWindow = '100000';

/** A window of which nothing is known. Unit: tokens. */
const usualWindow = 200_000;

/**
 * Lets Claude Code ask early, and again at each step, so that prices decide. Not where the person has set a window, and not where auto
 * compaction is off: then it asks when it would have asked without us, or never.
 */
export async function askEarly($: Engine, isWanted: boolean): Promise<void> {
  const isOurs = (await $.env.get('PALIMPSEST_ASKS')) === askingWindow;
  if (isOurs) {
    if (!isWanted) await stopAsking($);
    return;
  }
  if (!isWanted || !(await isAutoCompactOn($)) || (await personsWindow($)) !== undefined) return;
  await $.env.set('CLAUDE_CODE_AUTO_COMPACT_WINDOW', askingWindow);
  // Our own mark: an environment of the mod that takes the place of this one finds a window that no person has set.
  await $.env.set('PALIMPSEST_ASKS', askingWindow);
}

async function stopAsking($: Engine): Promise<void> {
  await $.env.set('CLAUDE_CODE_AUTO_COMPACT_WINDOW', undefined);
  await $.env.set('PALIMPSEST_ASKS', undefined);
}

/** Returns the windows that decide when Claude Code would compact without us. */
export async function windowsOf(
  $: Engine,
  { model, mainWindow, isMain }: { readonly model: string; readonly mainWindow: number; readonly isMain: boolean },
): Promise<Windows> {
  const isOfMain = isMain || model === (await $.session.model());
  const percent = windowIn(await $.env.get('CLAUDE_AUTOCOMPACT_PCT_OVERRIDE'));
  return {
    model: isOfMain ? mainWindow : (modelFacts(model, 'anthropic')?.contextWindow ?? usualWindow),
    person: await personsWindow($),
    percent,
  };
}

async function personsWindow($: Engine): Promise<number | undefined> {
  const isOurs = (await $.env.get('PALIMPSEST_ASKS')) === askingWindow;
  const set = isOurs ? undefined : windowIn(await $.env.get('CLAUDE_CODE_AUTO_COMPACT_WINDOW'));
  if (set !== undefined) return set;
  const settings = await $.settings.read();
  return smallestWindow(settings);
}

/** `autoCompactWindow` stands in the settings for all models, or for some. Which one counts is not asked: the smallest is the earliest. */
function smallestWindow(settings: unknown): number | undefined {
  if (typeof settings !== 'object' || settings === null) return undefined;
  const found = Object.entries(settings).flatMap(([name, value]) =>
    name === 'autoCompactWindow' ? (windowIn(value) ?? []) : (smallestWindow(value) ?? []),
  );
  return found.length === 0 ? undefined : Math.min(...found);
}

async function isAutoCompactOn($: Engine): Promise<boolean> {
  if (isTrue(await $.env.get('DISABLE_AUTO_COMPACT')) || isTrue(await $.env.get('DISABLE_COMPACT'))) return false;
  const row = (await $.config.list()).find(({ key }) => key === 'autoCompact');
  return row?.value !== false;
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}
