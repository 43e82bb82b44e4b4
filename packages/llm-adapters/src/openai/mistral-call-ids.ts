import { distinctIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { shortHash } from '../wire/short-hash.js';

/**
 * Ids of exactly nine letters and digits, not used twice in a request. A valid id stays unchanged; any other id becomes digits
 * of its hash, so that a longer request extends a shorter one.
 *
 * @see provider-rules D, Mistral
 */
export function mistralCallIds(): CallIds {
  return distinctIds({
    isSendable: (id) => /^[a-zA-Z0-9]{9}$/.test(id),
    alias: (id) => shortHash(id).slice(0, 9),
  });
}
