import * as library from '@huggingface/jinja';

/** A piece of a template's text. */
export interface JinjaToken {
  readonly type: string;
  readonly value: string;
}

/** A node of a parsed template. */
export interface JinjaNode {
  readonly type: string;
}

/** A value while a template runs. */
export interface JinjaValue {
  readonly type: string;
  readonly value: unknown;
  /** Methods and the like. */
  readonly builtins: ReadonlyMap<string, JinjaValue>;
}

/** The variables in sight. */
export interface JinjaEnvironment {
  set(name: string, value: unknown): unknown;
}

interface JinjaInterpreter {
  run(program: JinjaNode): JinjaValue;
  evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue;
}

interface Jinja {
  tokenize(text: string): readonly JinjaToken[];
  parse(tokens: readonly JinjaToken[]): JinjaNode;
  readonly Environment: new () => JinjaEnvironment;
  readonly Interpreter: new (environment: JinjaEnvironment) => JinjaInterpreter;
}

/**
 * The parts of the library that we build on. Its own declarations name their files without an ending, which Node's module
 * resolution does not find, so the types are stated here.
 */
export const { tokenize, parse, Environment, Interpreter } = library as unknown as Jinja;
