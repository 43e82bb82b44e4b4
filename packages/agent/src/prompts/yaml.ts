// In a file of its own, which is imported late: a bundler gives the names of a CommonJS package to a static import alone.
export { parse } from 'yaml';
