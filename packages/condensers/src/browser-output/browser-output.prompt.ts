/** Returns the text that a model reads in the place of a masked page. */
export function pageStubText(page: {
  readonly toolName: string;
  readonly address: string;
  /** Empty where nothing names it. */
  readonly url: string;
  readonly lines: number;
  readonly characters: number;
  readonly images: number;
  /** Each in words. */
  readonly files: readonly string[];
}): string {
  const { toolName, address, url, lines, characters, images, files } = page;
  const parts = [
    url === '' ? '' : `visited ${url}`,
    lines === 0 ? '' : `${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters`,
    images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'}`,
    ...files,
  ].filter((part) => part !== '');
  return `[Old page of ${toolName} (address ${address}): ${parts.join('; ')}. Content omitted. Open it again if you need it.]`;
}
