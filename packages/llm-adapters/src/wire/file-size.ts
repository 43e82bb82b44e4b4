// What the first bytes, or a cheap walk over all, say of the size of a file: no parser, no dependency. Bytes are base64 or an array.

/** The first bytes of a file as Latin-1 text; empty where they cannot be read. */
export function fileStart(data: string | Uint8Array): string {
  return latin1(typeof data === 'string' ? data.slice(0, 2_048) : data.subarray(0, 1_536));
}

/** A larger file is not walked over. Unit: characters of base64, or bytes. */
const longestWalk = 48_000_000;

/** How far the fields of a node of the page tree are looked for, and in how many nodes: the file may be anyone's. Unit: characters. */
const nodeReach = 2_000;
const mostNodes = 1_000;

function* firstMatches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if (count++ === mostNodes) return;
    yield match;
  }
}

/**
 * The pages of a PDF: what its page tree says, else what its first page says where it is made for the web, else the page objects that can be read.
 * Undefined where all of that is compressed.
 *
 * @see ISO 32000-1, 7.7.3.2 (page tree) and F.2 (linearized files)
 */
export function pagesOfPdf(data: string | Uint8Array): number | undefined {
  if (data.length > longestWalk) return undefined;
  const text = latin1(data);
  const counts: number[] = [];
  for (const { index } of firstMatches(text, /\/Type\s?\/Pages\b/g)) {
    const before = text.slice(Math.max(0, index - nodeReach), index);
    const [behind = ''] = text.slice(index, index + nodeReach).split('>>', 1);
    const [, count] = /\/Count\s(\d{1,6})\b/.exec(before.slice(before.lastIndexOf('<<') + 1) + behind) ?? [];
    if (count !== undefined) counts.push(Number(count));
  }
  if (counts.length > 0) return Math.max(...counts) || undefined;
  const [, linearized] = /\/Linearized\b[^>]{0,400}?\/N\s(\d{1,6})\b/.exec(text.slice(0, 2_048)) ?? [];
  if (linearized !== undefined) return Number(linearized) || undefined;
  return text.match(/\/Type\s?\/Page\b(?!s)/g)?.length;
}

/** Audio that says nothing of itself: compressed to 128 kbit/s. Unit: bytes a second. */
const usualBytesPerSecond = 16_000;
/** `pcm16`, as realtime models take it: 24,000 samples of two bytes. */
const pcmBytesPerSecond = 48_000;

/** The bit rates of MPEG 1, layer III. Unit: kbit/s. @see ISO 11172-3, 2.4.2.3 */
const mp3Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;

/** How long audio lasts, by the head of a WAV or an MP3, else by its bytes. Unit: seconds. */
export function secondsOfAudio(start: string, bytes: number, mediaType = ''): number {
  if (/pcm16/i.test(mediaType)) return bytes / pcmBytesPerSecond;
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WAVE') {
    const rate = [28, 29, 30, 31].reduce((sum, at, place) => sum + start.charCodeAt(at) * 256 ** place, 0);
    if (rate > 0) return bytes / rate;
  }
  for (let at = 0; at < start.length - 3; at++) {
    if (start.charCodeAt(at) !== 0xff || (start.charCodeAt(at + 1) & 0xfe) !== 0xfa) continue;
    const rate = mp3Rates[start.charCodeAt(at + 2) >> 4] ?? 0;
    if (rate > 0) return bytes / (rate * 125);
  }
  return bytes / usualBytesPerSecond;
}

/** Bytes as text, one character each; empty if it is no base64. */
function latin1(data: string | Uint8Array): string {
  if (typeof data === 'string') {
    try {
      return atob(data.slice(0, data.length - (data.length % 4)));
    } catch {
      return '';
    }
  }
  let text = '';
  for (let at = 0; at < data.length; at += 8_192) text += String.fromCharCode(...data.subarray(at, at + 8_192));
  return text;
}
