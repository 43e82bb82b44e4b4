export type { CondenserNames, CreatedPackage } from './create-package.js';
export { condenserNames, condenserPackageFiles, createCondenserPackage } from './create-package.js';
