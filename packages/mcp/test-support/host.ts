/** A process that connects a server, says so, and then ends or stays, as its argument says. */
import { connectMcpServers } from '../src/index.js';

const [server = '', file = '', mode] = process.argv.slice(2);
const args = [server, 'family', file];
const all = await connectMcpServers({ servers: { family: { command: process.execPath, args, connectMs: 300_000 } } });
process.stdout.write(`${all.tools.length}\n`);
if (mode === 'closes') await all.close();
if (mode === 'stays') setInterval(() => undefined, 1_000);
