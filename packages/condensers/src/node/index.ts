export { importFrom, loadCondenserConfigFile, loadCondenserFile, promptsFrom } from './condenser-file.js';
