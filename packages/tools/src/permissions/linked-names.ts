import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the places to which the links of a path lead, for the option `otherNames` of `permissions`: the path with its links resolved, as far as
 * it exists. A later change of a link is not seen: tools check the place once more when they open it.
 *
 * @param root - the root of the workspace, absolute and with its links resolved
 */
export function linkedNames(root: string): (requested: string) => readonly string[] {
  return (requested) => {
    const absolute = path.resolve(root, requested);
    const real = resolved(absolute, 0);
    return real === absolute ? [] : [real];
  };
}

/** More links than these are a circle. */
const mostLinks = 40;

function resolved(absolute: string, links: number): string {
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    const parent = path.dirname(absolute);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === absolute || links > mostLinks) throw error;
    const folder = resolved(parent, links);
    const place = path.join(folder, path.basename(absolute));
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
    return resolved(path.resolve(folder, readlinkSync(place)), links + 1);
  }
}
