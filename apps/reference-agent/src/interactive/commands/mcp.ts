import type { McpServerState } from '@palimpsest/mcp';
import type { Line } from '../../output/lines.js';
import { formatCount, textLines } from '../../output/lines.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** How much of a server's own log is shown. Unit: lines. */
const mostLogLines = 20;

/** `/mcp`. */
export const mcpCommand: CommandWork = {
  async run(_, screen) {
    const { mcp } = openedSession(screen.session);
    if (mcp === undefined) {
      return screen.say('No MCP servers are configured. [mcp.servers.NAME] in the configuration names them.');
    }
    const servers = mcp.servers();
    const told = [...mcp.notes, ...mcp.told];
    await screen.show({
      title: `MCP servers: ${servers.length}`,
      lines: [
        ...servers.flatMap(serverLines),
        ...(told.length === 0 ? [] : [{ text: 'Told since the start', style: 'strong' as const }]),
        ...told.flatMap((note) => textLines(note, { indent: 2 })),
      ],
    });
  },
};

function serverLines({ name, kind, state, problem, tools, log }: McpServerState): readonly Line[] {
  return [
    { text: `${name} (${kind}): ${state}, ${formatCount(tools.length, 'tool')}`, style: 'strong' },
    ...(problem === undefined ? [] : textLines(problem, { indent: 2 })),
    ...tools.map(({ name: tool, description }): Line => {
      const [first = ''] = description.trim().split(/\r\n|\r|\n/);
      return { text: `${tool}  ${first}`, indent: 2 };
    }),
    // A server that works needs no log.
    ...(state === 'connected' || log.trim() === ''
      ? []
      : textLines(log.trim(), { indent: 4, style: 'dim' }).slice(-mostLogLines)),
    { text: '' },
  ];
}
