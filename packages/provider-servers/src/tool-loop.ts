import type { Script, ScriptedCall } from './scripted-server.js';

/** Options of {@link toolLoop}. */
export interface ToolLoopOptions {
  /** Answers in a loop: the last is text, the others are calls. */
  readonly steps: number;
  /** Thinks before each answer. @defaultValue false */
  readonly thinks?: boolean | undefined;
  /** Begins the ids of calls. @defaultValue 'call' */
  readonly name?: string | undefined;
}

/**
 * A model that goes on calling tools, loop after loop, to try an agent or a framework with: `read`, with two calls in every third
 * answer and a path that begins with `missing/` in every seventh, and `screenshot`, which returns an image.
 */
export function toolLoop({ steps, thinks = false, name = 'call' }: ToolLoopOptions): Script {
  return (_, index) => {
    const isLast = index % steps === steps - 1;
    return {
      text: index % 4 === 0 || isLast ? `Answer ${index}.` : undefined,
      thinking: thinks ? `Thought ${index}.` : undefined,
      calls: isLast ? [] : callsOf(index, name),
    };
  };
}

function callsOf(index: number, name: string): readonly ScriptedCall[] {
  return Array.from({ length: index % 3 === 2 ? 2 : 1 }, (_, call) => {
    const id = `${name}_${index}_${call}`;
    if (index % 10 === 4) return { id, name: 'screenshot', input: {} };
    return { id, name: 'read', input: { path: index % 7 === 3 ? `missing/${id}.ts` : `src/${id}.ts` } };
  });
}
