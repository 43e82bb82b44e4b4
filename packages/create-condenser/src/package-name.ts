/** The names of a condenser package and of what is in it. */
export interface CondenserNames {
  /** The npm package: `@acme/condenser-keep-newest`. */
  readonly packageName: string;
  /** The folder that holds it: the package's name without its scope. */
  readonly folder: string;
  /** The condenser, as configurations and logs name it: `keepNewest`. */
  readonly condenserName: string;
}

const pattern = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;
const longest = 214;

/**
 * The names that follow from what a user typed: the name of a package, with or without a scope.
 *
 * @throws RangeError when npm would refuse it, or when no identifier can be made of it; says which and what to type.
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
export function condenserNames(packageName: string): CondenserNames {
  if (!pattern.test(packageName) || packageName.length > longest) {
    throw new RangeError(
      `'${packageName}' is no name of an npm package: use small letters, digits and hyphens, such as 'condenser-keep-newest' or '@acme/condenser-keep-newest'`,
    );
  }
  const folder = packageName.slice(packageName.indexOf('/') + 1);
  const words = folder.split(/[-._~]+/).filter((word) => word !== '');
  const own = words.length > 1 && words[0] === 'condenser' ? words.slice(1) : words;
  const condenserName = own.map((word, index) => (index === 0 ? word : capitalised(word))).join('');
  if (!/^[a-z]/.test(condenserName)) {
    throw new RangeError(
      `'${packageName}' gives no name for the condenser: begin with a letter, such as 'keep-newest'`,
    );
  }
  return { packageName, folder, condenserName };
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
