import { run, suitesOf } from './suites.js';

// The program of workerd. A request's address names the control server, and its answer is the results.
export default {
  fetch: async (request: Request): Promise<Response> => {
    const control = new URL(request.url).searchParams.get('control') ?? '';
    return Response.json(await run(suitesOf({ control })));
  },
};
