import { describe, expect, it } from 'vitest';
import { MissingSdkError } from './errors.js';
import { lazySdk } from './sdk.js';

const packageName = 'palimpsest-no-such-package';
const missing = () => import(/* @vite-ignore */ packageName) as Promise<unknown>;

describe('lazySdk', () => {
  it('names the package to install when it is missing', async () => {
    const load = lazySdk({ provider: 'test', packageName, load: missing });
    const error: unknown = await load().catch((thrown: unknown) => thrown);
    expect(MissingSdkError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'missing-sdk', packageName, provider: 'test', isRetryable: false });
    expect((error as Error).message).toContain(`npm install ${packageName}`);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it('loads once, and tries again after a failure', async () => {
    let loads = 0;
    const load = lazySdk({
      provider: 'test',
      packageName,
      load: async () => (++loads === 1 ? missing() : 'loaded'),
    });
    await expect(load()).rejects.toThrow(MissingSdkError);
    expect(await load()).toBe('loaded');
    expect(await load()).toBe('loaded');
    expect(loads).toBe(2);
  });

  it('is loaded by the function of the caller, and named when that finds none', async () => {
    const load = lazySdk({ provider: 'test', packageName, load: missing });
    expect(await load((name) => Promise.resolve(`imported ${name}`))).toBe(`imported ${packageName}`);
    await expect(load(missing)).rejects.toThrow(MissingSdkError);
  });
});
