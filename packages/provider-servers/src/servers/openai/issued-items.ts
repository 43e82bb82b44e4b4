import { idPrefixes } from '../../rules/responses/parts.js';
import type { IssuedItems } from '../../rules/responses/parts.js';
import { textIn } from '../../rules/wire/wire-json.js';

const noReasoning = '0'.repeat(16);

/**
 * Returns the items of an organisation. Only this function loads `node:crypto`, so the rest of the folder runs without Node.
 */
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
