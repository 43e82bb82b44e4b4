import { field, textOf } from '@palimpsest/messages';

/**
 * Returns the name of a chat model: of the model itself, of one with bound options, and of one that is chosen at run
 * time.
 */
export function modelName(model: unknown): string | undefined {
  if (typeof model === 'string') return model.slice(model.indexOf(':') + 1);
  return (
    textOf(field(model, 'model')) ??
    textOf(field(model, 'modelName')) ??
    textOf(field(field(model, '_defaultConfig'), 'model')) ??
    textOf(field(field(model, 'bound'), 'model'))
  );
}
