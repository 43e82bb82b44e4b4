import type { SessionState, WorkPhase } from '../session/session-events.js';

const phases: Readonly<Record<WorkPhase, string>> = {
  asking: 'thinking',
  answering: 'answering',
  tools: 'running tools',
  retrying: 'trying again',
  condensing: 'condensing',
};

/** What a session does, in a word or two. */
export function stateInWords(state: SessionState): string {
  switch (state.type) {
    case 'opening':
      return `opening${waitInWords(state.waitsFor ?? [])}`;
    case 'unusable':
      return 'not usable';
    case 'idle':
      return 'ready';
    case 'working':
      return state.isInterrupted ? 'interrupting' : phases[state.phase];
    case 'waiting':
      return 'waits for your yes';
    case 'closed':
      return 'closed';
  }
}

/** The first names, so that the line has room for them. */
function waitInWords(servers: readonly string[]): string {
  const [first] = servers;
  if (first === undefined) return '';
  return `: waits for MCP ${first}${servers.length === 1 ? '' : ` and ${servers.length - 1} more`}`;
}
