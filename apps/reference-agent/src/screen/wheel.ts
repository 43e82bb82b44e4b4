import { matchesKey } from '@mariozechner/pi-tui';

/** So many equal arrows at once are no key that somebody pressed. */
const arrowsOfWheel = 3;

/**
 * Tells the wheel from the arrow keys. A terminal sends several arrows at once for a turn of the wheel, since the screen does not ask for
 * the mouse: what it shows can be selected and copied as always.
 */
export class Wheel {
  readonly #scroll: (lines: number) => void;
  readonly #key: (data: string) => void;
  #arrows: string[] = [];

  constructor({ scroll, key }: { readonly scroll: (lines: number) => void; readonly key: (data: string) => void }) {
    this.#scroll = scroll;
    this.#key = key;
  }

  /** Takes a key. What it keeps it gives on at the end of what the terminal sent at once. */
  handleInput(data: string): void {
    const isArrow = matchesKey(data, 'up') || matchesKey(data, 'down');
    if (this.#arrows.length > 0 && (!isArrow || this.#arrows[0] !== data)) this.#flush();
    if (!isArrow) return this.#key(data);
    this.#arrows.push(data);
    if (this.#arrows.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const arrows = this.#arrows;
    this.#arrows = [];
    const [first] = arrows;
    if (first === undefined) return;
    if (arrows.length >= arrowsOfWheel) this.#scroll(matchesKey(first, 'up') ? -arrows.length : arrows.length);
    else for (const arrow of arrows) this.#key(arrow);
  }
}
