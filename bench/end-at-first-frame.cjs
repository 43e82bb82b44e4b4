// Loaded before a measured process: it takes its streams for a terminal, and ends when it has drawn its first frame.
process.stdin.isTTY = true;
process.stdin.setRawMode = () => process.stdin;
Object.assign(process.stdout, { isTTY: true, columns: 100, rows: 30 });
process.stdout.write = (text) => {
  // The end of a synchronized update.
  if (String(text).includes('\u001b[?2026l')) process.exit(0);
  return true;
};
