// Loaded before a measured process: at its first request, its CPU time in microseconds goes to file descriptor 3, and it ends.
const { writeSync } = require('node:fs');
globalThis.fetch = () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String(user + system));
  process.exit(0);
};
