/** `T` with every property and every array in it read-only, however deep. */
export type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : unknown extends T
      ? T
      : { readonly [Key in keyof T]: Immutable<T[Key]> };
