/**
 * Ids that wait, each of them once. The tenants take turns; within a tenant the first comes first. Each operation costs one step, except
 * for ids that may not be taken now.
 */
export class FairQueue {
  readonly #tenantOf: (id: string) => string;
  readonly #waiting = new Map<string, Set<string>>();
  #size = 0;

  constructor(tenantOf: (id: string) => string) {
    this.#tenantOf = tenantOf;
  }

  get size(): number {
    return this.#size;
  }

  add(id: string): void {
    const tenant = this.#tenantOf(id);
    const ids = this.#waiting.get(tenant) ?? new Set();
    if (ids.has(id)) return;
    ids.add(id);
    this.#waiting.set(tenant, ids);
    this.#size++;
  }

  /** Removes an id. False: it does not wait. */
  remove(id: string): boolean {
    const tenant = this.#tenantOf(id);
    const ids = this.#waiting.get(tenant);
    if (ids?.delete(id) !== true) return false;
    this.#size--;
    if (ids.size === 0) this.#waiting.delete(tenant);
    return true;
  }

  /** Takes the next id that may be taken. Its tenant goes to the end. */
  take(mayBeTaken: (id: string) => boolean): string | undefined {
    for (const [tenant, ids] of this.#waiting) {
      for (const id of ids) {
        if (!mayBeTaken(id)) continue;
        ids.delete(id);
        this.#size--;
        this.#waiting.delete(tenant);
        if (ids.size > 0) this.#waiting.set(tenant, ids);
        return id;
      }
    }
    return undefined;
  }
}
