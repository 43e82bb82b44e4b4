export { condenserNames, condenserPackageFiles, createCondenserPackage } from './create-package.js';
