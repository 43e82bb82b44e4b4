import { listIn, objectIn, textIn } from '../wire/wire-json.js';
import type { JsonObject } from '../wire/wire-json.js';
import { blocksIn, isThinking } from './parts.js';
import type { AnthropicRequestParts, Rule, Rules } from './parts.js';

/** A place in the prompt that can be marked, in reading order. The parts of a result come before the result. */
interface Place {
  readonly path: string;
  readonly value: JsonObject;
}

/** provider-rules A12, A.7. */
const breakpoints: Rule = (request, report) => {
  const places = placesOf(request);
  const marked = places.filter(({ value }) => isMarked(value));
  const last = places.findLast(isCacheable);
  const { cache_control: automatic } = request.body;
  const isOwnSlot = isMarked(request.body) && last !== undefined && !isMarked(last.value);
  const count = marked.length + (isOwnSlot ? 1 : 0);
  const controls = [
    ...marked.map(({ path, value }) => ({ path, control: objectIn(value.cache_control) })),
    ...(isMarked(request.body) ? [{ path: '', control: objectIn(automatic) }] : []),
  ];
  const firstShort = controls.findIndex(({ control }) => ttlOf(control) === '5m');
  return [
    ...(count > 4 ? [report('', `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`)] : []),
    ...marked
      .filter((place) => !isCacheable(place))
      .map(({ path, value }) =>
        isThinking({ type: textIn(value.type) ?? '' })
          ? report(`${path}.${textIn(value.type) ?? ''}.cache_control`, 'Extra inputs are not permitted')
          : report(`${path}.text`, 'cache_control cannot be set for empty text blocks'),
      ),
    ...controls.flatMap(({ path, control }, index) => {
      const at = path === '' ? 'cache_control' : `${path}.cache_control`;
      if (control?.type !== 'ephemeral' || !['5m', '1h'].includes(ttlOf(control) ?? '')) {
        return [report(at, "cache_control is { type: 'ephemeral', ttl?: '5m' | '1h' }")];
      }
      return firstShort !== -1 && index > firstShort && ttlOf(control) === '1h'
        ? [
            report(
              `${at}.ttl`,
              "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are " +
                'processed in the following order: `tools`, `system`, `messages`.',
            ),
          ]
        : [];
    }),
  ];
};

export const cachingRules: Rules = { A12: breakpoints };

function placesOf({ body, turns }: AnthropicRequestParts): readonly Place[] {
  const tools = listIn(body.tools).map((tool, index) => ({ path: `tools.${index}`, value: objectIn(tool) ?? {} }));
  const blocks = turns.flatMap((turn) => turn.blocks);
  const withParts = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [...blocksIn(block.value.content, `${block.path}.content`), block] : [block],
  );
  return [...tools, ...blocksIn(body.system, 'system'), ...withParts];
}

function isMarked(value: JsonObject): boolean {
  return value.cache_control !== undefined && value.cache_control !== null;
}

function isCacheable({ value }: Place): boolean {
  return !isThinking({ type: textIn(value.type) ?? '' }) && !(value.type === 'text' && value.text === '');
}

/** Undefined for an invalid lifetime. */
function ttlOf(control: JsonObject | undefined): string | undefined {
  return control?.ttl === undefined || control.ttl === null ? '5m' : textIn(control.ttl);
}
