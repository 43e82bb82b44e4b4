export { importFrom, loadCondenserFile } from './condenser-file.js';
