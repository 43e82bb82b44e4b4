import { z } from 'zod';
import { InvalidSettingsError } from './errors.js';
import { bytesOfFile } from './regular-file.js';
import { writeUserFile } from './user-file.js';

const recordSchema = z.strictObject({
  version: z.literal(1),
  folders: z.record(z.string(), z.strictObject({ allow: z.array(z.string()) })),
});

type Folders = z.output<typeof recordSchema>['folders'];

/**
 * The rules of a folder that the user made when a call was asked about: calls that they allow run without a question.
 *
 * @param folder - its real path
 * @throws {@link InvalidSettingsError} when the file cannot be read.
 */
export async function keptRules(file: string, folder: string): Promise<readonly string[]> {
  const folders = await readFolders(file);
  return Object.hasOwn(folders, folder) ? (folders[folder]?.allow ?? []) : [];
}

/** Keeps a rule. @throws {@link InvalidSettingsError} when the file cannot be read or written. */
export async function keepRule(file: string, folder: string, rule: string): Promise<void> {
  const allow = await keptRules(file, folder);
  if (!allow.includes(rule)) await writeRules(file, folder, [...allow, rule]);
}

/** Forgets a rule. False if it was not kept. @throws {@link InvalidSettingsError} when the file cannot be read or written. */
export async function forgetRule(file: string, folder: string, rule: string): Promise<boolean> {
  const allow = await keptRules(file, folder);
  if (!allow.includes(rule)) return false;
  await writeRules(
    file,
    folder,
    allow.filter((each) => each !== rule),
  );
  return true;
}

async function readFolders(file: string): Promise<Folders> {
  try {
    const bytes = await bytesOfFile(file);
    return bytes === undefined ? {} : recordSchema.parse(JSON.parse(bytes.toString('utf8'))).folders;
  } catch (cause) {
    const reason = 'holds the rules of your answers, and cannot be read: repair it, or remove it';
    throw new InvalidSettingsError(file, [{ reason }], { cause });
  }
}

async function writeRules(file: string, folder: string, allow: readonly string[]): Promise<void> {
  const { [folder]: _old, ...others } = await readFolders(file);
  try {
    await writeUserFile(file, {
      version: 1,
      folders: allow.length === 0 ? others : { ...others, [folder]: { allow } },
    });
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: `cannot be written: ${(cause as Error).message}` }], { cause });
  }
}
