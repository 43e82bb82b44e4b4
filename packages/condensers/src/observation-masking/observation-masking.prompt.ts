/** Paths of a hidden text, and how many others it names. */
export interface NamedPaths {
  /** Word for word as in the text. */
  readonly paths: readonly string[];
  readonly otherPaths: number;
}

/** Returns the text that a model reads in the place of a masked result. */
export function stubText(
  result: NamedPaths & {
    readonly toolName: string;
    readonly address: string;
    readonly lines: number;
    readonly characters: number;
    readonly images: number;
    /** Each in words. */
    readonly files: readonly string[];
    /** The end of the call, where that is more than that it went through. */
    readonly status: string | undefined;
    readonly firstLine: string;
  },
): string {
  const { toolName, address, lines, characters, images, files, status, firstLine } = result;
  const size = [
    lines === 0 ? '' : `${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters`,
    images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'}`,
    ...files,
  ];
  const parts = [...size, status ?? '', firstLine === '' ? '' : `begins: ${firstLine}`, namesText(result)].filter(
    (part) => part !== '',
  );
  return `[Old output of ${toolName} (address ${address}) is hidden: ${parts.join('; ')}. Make the call again if you need it.]`;
}

/** Returns the text that a model reads in the place of a masked argument of one of its own old calls. */
export function argumentStub(
  argument: NamedPaths & {
    readonly lines: number;
    readonly characters: number;
    /** Of the call. */
    readonly address: string;
    /** The beginning of the text, or what it is. */
    readonly about: string;
  },
): string {
  const { lines, characters, address, about } = argument;
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters`;
  const parts = [size, `address ${address}`, about, namesText(argument)].filter((part) => part !== '');
  return `[hidden later, sent in full then: ${parts.join('; ')}]`;
}

function namesText(named: NamedPaths): string {
  return named.paths.length === 0 ? '' : `names: ${pathsText(named)}`;
}

/** Returns a list of paths, and how many others there are. */
export function pathsText({ paths, otherPaths }: NamedPaths): string {
  return [...paths, ...(otherPaths === 0 ? [] : [`${otherPaths} more`])].join(', ');
}
