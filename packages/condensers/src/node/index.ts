export { importFrom, loadCondenserConfigFile, loadCondenserFile } from './condenser-file.js';
