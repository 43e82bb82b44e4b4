export type { CreatedPackage } from './create-package.js';
export { createCondenserPackage } from './create-package.js';
export { condenserPackageFiles } from './package-files.js';
export type { CondenserNames } from './package-name.js';
export { condenserNames } from './package-name.js';
