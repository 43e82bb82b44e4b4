import { searchTool } from '../src/search/search.js';
import { openWorkspace } from '../src/workspace/workspace.js';
import { noContext } from './no-context.js';

// A bundle of this has no file for the search's thread. It prints what each engine answers.
const [folder = '.'] = process.argv.slice(2);
const workspace = await openWorkspace(folder);
for (const options of [{}, { ripgrep: false }] as const) {
  const tool = searchTool(workspace, options);
  try {
    const output = await tool.execute(tool.parseInput({ pattern: 'x' }), noContext);
    console.log(typeof output === 'string' ? output : output.content);
  } catch (error) {
    console.log((error as Error).name, (error as Error).message);
  }
}
