import { run, suitesOf } from './suites.js';

// The program of a browser. The SDKs refuse to work in a page, where a key could be read; these tests have none to lose.
const importModule = async (name: string): Promise<unknown> => {
  const { default: Client } = await (name === 'openai' ? import('openai') : import('@anthropic-ai/sdk'));
  const Plain = Client as new (options: object) => object;
  return {
    default: class extends Plain {
      constructor(options: object) {
        super({ ...options, dangerouslyAllowBrowser: true });
      }
    },
  };
};

Object.assign(globalThis, { results: run(suitesOf({ control: location.origin, importModule })) });
