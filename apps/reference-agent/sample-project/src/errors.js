/** The base of all errors of this library. `code` is stable; the message is for people. */
export class YardstickError extends Error {
  constructor(code, message) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A unit name or symbol that no table knows. */
export class UnknownUnitError extends YardstickError {
  constructor(name, suggestions = []) {
    const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(' or ')}?`;
    super('unknown-unit', `unknown unit '${name}'${hint}`);
    this.unit = name;
    this.suggestions = suggestions;
  }
}

/** Two quantities that cannot be added, compared or converted into each other. */
export class DimensionError extends YardstickError {
  constructor(operation, left, right) {
    super('dimension', `cannot ${operation} ${left} and ${right}`);
    this.operation = operation;
    this.left = left;
    this.right = right;
  }
}

/** An expression that cannot be read. `offset` is the index of the first character that does not fit. */
export class ParseError extends YardstickError {
  constructor(message, source, offset) {
    super('parse', `${message} at ${offset}: ${excerpt(source, offset)}`);
    this.source = source;
    this.offset = offset;
  }
}

function excerpt(source, offset) {
  const from = Math.max(0, offset - 12);
  const before = source.slice(from, offset);
  const after = source.slice(offset, offset + 12);
  return `${from > 0 ? '…' : ''}${before}⟨${after}⟩`;
}
