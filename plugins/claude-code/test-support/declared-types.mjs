// Prints the declarations of the function hooks in a binary of Claude Code: they are one of its files, each packed as a frame of
// Zstandard, which Node reads from 22.15 on.
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';

const title = '// Claude Code function hooks';
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const binary = readFileSync(process.argv[2]);

for (let at = binary.indexOf(magic); at !== -1; at = binary.indexOf(magic, at + 4)) {
  const text = unpacked(binary.subarray(at, at + 4_000_000));
  if (text?.startsWith(title)) {
    process.stdout.write(text);
    break;
  }
}

function unpacked(frame) {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: 4_000_000 }).toString();
  } catch {
    return undefined;
  }
}
