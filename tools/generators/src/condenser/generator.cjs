// `nx g @palimpsest/generators:condenser NAME`: the template of `npm create @palimpsest/condenser`, in an Nx workspace.
const { joinPathFragments } = require('@nx/devkit');

/**
 * @param {import('@nx/devkit').Tree} tree
 * @param {{ name: string, directory?: string }} options
 * @throws RangeError when npm would refuse the name; Error when the folder is not empty.
 */
module.exports = async function condenserGenerator(tree, { name, directory = 'packages' }) {
  const { condenserNames, condenserPackageFiles } = await import('@palimpsest/create-condenser');
  const folder = joinPathFragments(directory, condenserNames(name).folder);
  const [there] = tree.children(folder);
  if (there !== undefined)
    throw new Error(`'${folder}' is not empty: it holds '${there}'. Choose another --directory.`);
  for (const [file, text] of await condenserPackageFiles(name)) tree.write(joinPathFragments(folder, file), text);
};
