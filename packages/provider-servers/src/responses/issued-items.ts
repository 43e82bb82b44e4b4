import { textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/**
 * The issued items of a server without state. The server encodes what it needs later in the item's id and signs the id. Every
 * server of one organisation recognises the items of the others.
 *
 * @see provider-rules C5, C10
 */
export interface IssuedItems {
  /** Adds missing ids, statuses and encrypted content to items. `origin` must be unique. */
  issue(output: readonly JsonObject[], origin: string): readonly JsonObject[];
  /** True if the id was issued. */
  isIssued(id: string): boolean;
  /** The id of the reasoning that was issued with an item; undefined if there was none, or if the id was not issued. */
  reasoningOf(id: string): string | undefined;
  /** True if the content was issued, and, if an id is given, with that id. */
  isEncryptedFor(content: string, reasoningId: string | undefined): boolean;
}

/** The id prefixes by type of item. */
export const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
};

const noReasoning = '0'.repeat(16);

/** The items of an organisation. Only this function loads `node:crypto`, so the rest of the folder runs without Node. */
export async function issuedItems(organization: string): Promise<IssuedItems> {
  const { createHmac } = await import('node:crypto');
  const sign = (...parts: readonly string[]) =>
    createHmac('sha256', organization).update(JSON.stringify(parts)).digest('hex');

  const idOf = (prefix: string, serial: string, reasoning: string) =>
    `${prefix}_${serial}${reasoning}${sign(prefix, serial, reasoning).slice(0, 16)}`;
  const partsOf = (id: string) => {
    const match = /^([a-z]+)_([0-9a-f]{16})([0-9a-f]{16})([0-9a-f]{16})$/.exec(id);
    const [, prefix = '', serial = '', reasoning = ''] = match ?? [];
    return match !== null && idOf(prefix, serial, reasoning) === id ? { prefix, serial, reasoning } : undefined;
  };
  const encryptedFor = (serial: string) => `gAAAAAB${serial}${sign('encrypted', serial)}`;

  return {
    issue: (output, origin) => {
      let reasoning = noReasoning;
      return output.map((item, index) => {
        const type = textIn(item.type) ?? '';
        const serial = sign('serial', origin, String(index)).slice(0, 16);
        const own = textIn(item.id);
        if (type === 'reasoning') {
          const id = own ?? idOf('rs', serial, noReasoning);
          reasoning = partsOf(id)?.serial ?? noReasoning;
          return { summary: [], encrypted_content: encryptedFor(reasoning), ...item, id };
        }
        return { status: 'completed', ...item, id: own ?? idOf(idPrefixes[type] ?? 'item', serial, reasoning) };
      });
    },
    isIssued: (id) => partsOf(id) !== undefined,
    reasoningOf: (id) => {
      const reasoning = partsOf(id)?.reasoning;
      return reasoning === undefined || reasoning === noReasoning ? undefined : idOf('rs', reasoning, noReasoning);
    },
    isEncryptedFor: (content, reasoningId) => {
      const serial = /^gAAAAAB([0-9a-f]{16})[0-9a-f]{64}$/.exec(content)?.[1];
      if (serial === undefined || encryptedFor(serial) !== content) return false;
      return reasoningId === undefined || partsOf(reasoningId)?.serial === serial;
    },
  };
}
