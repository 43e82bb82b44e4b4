/** A part of the screen that draws itself and takes keys while it is in front. */
export interface View {
  /** Its lines, none wider than asked. Unit of `width`: columns. */
  render(width: number): readonly string[];
  /** A key, as the terminal sends it, or a paste in its brackets. */
  handleInput(data: string): void;
  /** The wheel was turned. Unit: lines; below 0 towards the beginning. */
  scroll?(lines: number): void;
}
