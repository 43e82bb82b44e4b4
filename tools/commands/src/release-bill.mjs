import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, publishedFolders, releaseFolder } from './release-pack.mjs';
import { workspaceRoot } from './run.mjs';

/**
 * Writes `sbom.cdx.json`, in the form of CycloneDX: what npm knows of all that the published packages depend on, and the packages whose
 * code is in their bundles.
 *
 * @returns {number} how many packages it names
 */
export function writeBillOfMaterials() {
  const folders = publishedFolders();
  const options = ['--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'];
  const bill = JSON.parse(npm(['sbom', ...options, ...folders.flatMap((folder) => ['-w', folder])]));
  bill.components.push(...folders.flatMap(bundledIn));
  writeFileSync(path.join(releaseFolder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  return bill.components.length;
}

/**
 * @param {string} folder
 * @returns {readonly unknown[]} the packages in its bundles: their notices name them
 */
function bundledIn(folder) {
  const dist = path.join(workspaceRoot, folder, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('third-party-notices.txt'))
    .flatMap((file) => [
      ...readFileSync(path.join(dist, file), 'utf8').matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm),
    ])
    .map(([, name = '', version = '', license = '']) => ({
      'bom-ref': `${folder}/${name}@${version}`,
      type: 'library',
      name,
      version,
      scope: 'required',
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: [{ license: { id: license } }],
      properties: [{ name: 'palimpsest:bundled-in', value: folder }],
    }));
}
