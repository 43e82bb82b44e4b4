// Loaded before the gateway's process (`--import`): makes it fail as PALIMPSEST_CRASH says.
const { PALIMPSEST_CRASH: crash } = process.env;

if (crash === 'throws') {
  process.on('SIGUSR2', () => {
    throw new Error('the words of a conversation');
  });
}

if (crash === 'fills-memory') {
  process.on('SIGUSR2', () => {
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(kept.length));
  });
}

if (crash === 'poison') {
  // Reading a body with this word ends it at once.
  const { parse } = JSON;
  JSON.parse = (text, reviver) => {
    if (typeof text === 'string' && text.includes('arsenic')) process.kill(process.pid, 'SIGKILL');
    return parse(text, reviver);
  };
}
