/** The text that a model reads in the place of a masked result. */
export function stubText(result: {
  readonly toolName: string;
  readonly address: string;
  readonly lines: number;
  readonly characters: number;
  readonly images: number;
  /** How the call ended, where that is more than that it went through. */
  readonly status: string | undefined;
  readonly firstLine: string;
}): string {
  const { toolName, address, lines, characters, images, status, firstLine } = result;
  const size = [
    lines === 0 ? '' : `${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters`,
    images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'}`,
  ];
  const parts = [...size, status ?? '', firstLine === '' ? '' : `begins: ${firstLine}`].filter((part) => part !== '');
  return `[Old output of ${toolName} (address ${address}) is hidden: ${parts.join('; ')}. Make the call again if you need it.]`;
}

/** The text that a model reads in the place of a masked argument of one of its own old calls. */
export function argumentStub(argument: {
  readonly lines: number;
  readonly characters: number;
  /** Of the call. */
  readonly address: string;
  /** What the text begins with, or what it is. */
  readonly about: string;
}): string {
  const { lines, characters, address, about } = argument;
  return `[hidden later, sent in full then: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters; address ${address}; ${about}]`;
}
