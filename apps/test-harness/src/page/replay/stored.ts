/** Resolves when the whole page is there: what is compressed stands at its end. */
const loaded = new Promise<void>((resolve) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => resolve());
  else resolve();
});

/** Unpacks what an element at the end of the page holds: base64 of gzip. */
export async function unpacked(id: string): Promise<string> {
  await loaded;
  const packed = atob(document.getElementById(id)?.textContent.trim() ?? '');
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** Reads the JSON that an element holds. */
export function storedJson(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}
