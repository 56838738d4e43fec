'use strict';
/**
 * Reads a stream of YAML 1.2 documents, which may also be JSON, into values and the line number of each. Everything
 * that can be abused is limited: tokens, depth, documents, siblings, errors, and the values and bytes, which are
 * counted again for each alias. Nothing is built beyond a limit. This is plain JavaScript, because a worker thread
 * loads it without the compiler.
 */
const { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } = require('yaml');

/** The maximum number of tokens in all documents of the stream. 5,000 endpoints have about 400,000. */
const MAX_TOKENS = 2_500_000;
/**
 * The maximum number of values in all documents, counted again for each alias. Text without aliases has no more values
 * than characters.
 */
const MAX_VALUES = 1_000_000;
const ALIASED_VALUES = 50_000;
/**
 * The limits on the bytes of keys and strings, counted again for each alias: a multiple of the text's length, the
 * allowance for a short text, and the maximum.
 */
const [BYTES_PER_BYTE, FREE_BYTES, MAX_BYTES] = [4, 1024 * 1024, 16 * 1024 * 1024];
/** The maximum number of characters in a string that an alias refers to. */
const MAX_ALIASED_TEXT = 1024;
/** The maximum number of members in a mapping or items in a list. */
const MAX_SIBLINGS = 50_000;
const MAX_DEPTH = 64;
const MAX_DOCUMENTS = 1000;
const MAX_PROBLEMS = 20;

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: true,
  resolveKnownTags: false,
  // The library's built-in check compares each key with all previous keys.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
};

/** Thrown to stop reading, because the remaining errors would only repeat this one or can't be found. */
class Stop extends Error {}

class Problems {
  list = [];
  constructor(lines) {
    this.lines = lines;
  }
  add(offset, pointer, code, message) {
    this.list.push({ pointer, line: this.lineAt(offset), code, message: message.slice(0, 300) });
    if (this.list.length >= MAX_PROBLEMS) throw new Stop();
  }
  end(offset, pointer, code, message) {
    this.add(offset, pointer, code, message);
    throw new Stop();
  }
  lineAt(offset) {
    return Math.max(1, this.lines.linePos(Math.max(0, offset)).line);
  }
}

/** Returns `{ documents: [{ value, lines, sizes }] }`, or `{ problems }` if the text can't be read. */
function read(text) {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const problems = new Problems(lines);
  try {
    const composed = compose(text, lines, problems);
    const documents = toValues(composed, problems, budgetOf(text));
    if (problems.list.length === 0) return { documents };
  } catch (error) {
    if (!(error instanceof Stop)) problems.list.push(unreadable(error));
  }
  return { problems: problems.list };
}

function unreadable(error) {
  const why = error instanceof RangeError ? 'is nested too deeply' : 'is not valid YAML or JSON';
  return { pointer: '', line: null, code: 'invalid_syntax', message: `the text ${why}` };
}

function compose(text, lines, problems) {
  const composer = new Composer(OPTIONS);
  const composed = [];
  const keep = (documents) => {
    for (const document of documents) {
      composed.push(document);
      if (composed.length > MAX_DOCUMENTS)
        problems.end(document.range[0], '', 'too_large', `the stream has more than ${MAX_DOCUMENTS} documents`);
    }
  };
  const parser = new Parser(lines.addNewLine);
  let syntaxErrors = 0;
  const take = (tokens) => {
    for (const token of tokens) {
      if (token.type === 'error') syntaxErrors++;
      keep(composer.next(token));
    }
  };
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme));
    count++;
    if (count > MAX_TOKENS) problems.end(parser.offset, '', 'too_large', `the text has more than ${MAX_TOKENS} tokens`);
    // The stack also contains a value and the document itself.
    if (parser.stack.length > MAX_DEPTH + 2)
      problems.end(parser.offset, '', 'too_deep', `the text is nested deeper than ${MAX_DEPTH} levels`);
    if (syntaxErrors >= MAX_PROBLEMS) break;
  }
  take(parser.end());
  keep(composer.end());
  for (const { message, pos } of syntaxOf(composed, composer)) problems.add(pos[0], '', 'invalid_syntax', message);
  return problems.list.length === 0 ? composed : [];
}

/** The library reports unknown tags as warnings. */
function syntaxOf(composed, composer) {
  const errors = composed.flatMap(({ errors: own, warnings }) => [...own, ...warnings]);
  const foreign = composed.filter(({ directives }) => directives.yaml.version !== '1.2');
  const versions = foreign.map(({ range }) => ({ message: 'only YAML 1.2 is supported', pos: range }));
  const all = [...versions, ...errors, ...(composed.length === 0 ? composer.streamInfo().errors : [])];
  return all.sort((a, b) => a.pos[0] - b.pos[0]).slice(0, MAX_PROBLEMS);
}

/** Returns how many values and bytes may be built. */
const budgetOf = (text) => ({
  values: Math.min(MAX_VALUES, ALIASED_VALUES + text.length),
  bytes: Math.min(MAX_BYTES, FREE_BYTES + BYTES_PER_BYTE * Buffer.byteLength(text)),
});

function toValues(composed, problems, budget) {
  return composed.map((document) => {
    const value = new Walk(problems, budget).value(document.contents, '', document.range[0], 0);
    const places = new Places();
    places.add(value);
    return {
      value: plain(value),
      lines: Uint32Array.from(places.lines),
      sizes: Uint32Array.from(places.sizes),
    };
  });
}

/** A value with its line number. Its members or items are also `Placed`. */
class Placed {
  constructor(line, data) {
    this.line = line;
    this.data = data;
  }
}

/** Converts nodes to values. The value that an alias refers to is built and counted again each time. */
class Walk {
  anchors = new Map();
  targets = new Map();
  open = new Set();
  isCopy = false;

  constructor(problems, budget) {
    this.problems = problems;
    this.budget = budget;
  }

  value(node, pointer, offset, depth) {
    const at = node?.range?.[0] ?? offset;
    this.count(pointer, at, depth);
    const line = this.problems.lineAt(offset);
    if (isAlias(node)) return this.behind(node, pointer, at, (target) => this.value(target, pointer, offset, depth));
    if (node?.anchor && !this.isCopy) this.anchors.set(node.anchor, node);
    if (isScalar(node)) return new Placed(line, this.scalar(node, pointer, at));
    if (!isMap(node) && !isSeq(node)) return new Placed(line, null);
    this.open.add(node);
    const data = isMap(node) ? this.members(node, pointer, depth) : this.items(node, pointer, depth);
    this.open.delete(node);
    return new Placed(line, data);
  }

  count(pointer, at, depth) {
    if (--this.budget.values < 0)
      this.problems.end(
        at,
        pointer,
        'too_large',
        `the text has more than ${MAX_VALUES} values, or far more values than characters; values of an alias count each time it is used`,
      );
    if (depth > MAX_DEPTH)
      this.problems.end(at, pointer, 'too_deep', `the text is nested deeper than ${MAX_DEPTH} levels`);
  }

  /** Counts a key or a string before it is used. */
  spend(text, pointer, at) {
    this.budget.bytes -= Buffer.byteLength(text);
    if (this.budget.bytes < 0)
      this.problems.end(
        at,
        pointer,
        'too_large',
        `the text has more than ${MAX_BYTES} bytes, or many times its length; the text of an alias counts each time it is used`,
      );
  }

  siblings(node, pointer, at) {
    if (node.items.length > MAX_SIBLINGS)
      this.problems.end(at, pointer, 'too_large', `a mapping or a list has more than ${MAX_SIBLINGS} members`);
  }

  behind(alias, pointer, at, use) {
    if (!this.isCopy) this.targets.set(alias, this.anchors.get(alias.source));
    const target = this.targets.get(alias);
    if (target === undefined)
      this.problems.end(
        at,
        pointer,
        'invalid_syntax',
        `the anchor &${alias.source} does not exist, or is defined only after its use`,
      );
    if (this.open.has(target))
      this.problems.end(at, pointer, 'invalid_syntax', `the alias *${alias.source} is used inside its own anchor`);
    if (isScalar(target) && typeof target.value === 'string' && target.value.length > MAX_ALIASED_TEXT)
      this.problems.end(
        at,
        pointer,
        'too_large',
        `the alias *${alias.source} refers to a string of more than ${MAX_ALIASED_TEXT} characters: write it out`,
      );
    const before = this.isCopy;
    this.isCopy = true;
    const made = use(target);
    this.isCopy = before;
    return made;
  }

  items(node, pointer, depth) {
    this.siblings(node, pointer, node.range[0]);
    return node.items.map((item, i) =>
      this.value(item, `${pointer}/${i}`, item?.range?.[0] ?? node.range[0], depth + 1),
    );
  }

  members(node, pointer, depth) {
    this.siblings(node, pointer, node.range[0]);
    const made = new Map();
    const merged = [];
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? key.value : null;
      const at = key?.range?.[0] ?? node.range[0];
      if (typeof name === 'symbol') {
        merged.push([value, at]);
        continue;
      }
      if (key?.anchor && !this.isCopy) this.anchors.set(key.anchor, key);
      if (this.isKey(name, made, pointer, at))
        made.set(name, this.value(value, `${pointer}/${step(name)}`, at, depth + 1));
    }
    for (const [source, at] of merged) this.merge(source, made, pointer, at, depth + 1);
    return made;
  }

  isKey(name, made, pointer, at) {
    const wrong = (code, message) => {
      if (!this.isCopy) this.problems.add(at, pointer, code, message);
      return false;
    };
    if (typeof name !== 'string') return wrong('invalid_syntax', 'a key must be a string: put it in quotes');
    this.spend(name, pointer, at);
    if (name === '__proto__') return wrong('unknown_field', '__proto__ cannot be a key');
    if (badText(name)) return wrong('invalid_characters', 'has a key with NUL or lone surrogates');
    if (!made.has(name)) return true;
    if (!this.isCopy)
      this.problems.add(
        at,
        `${pointer}/${step(name)}`,
        'duplicate_key',
        `the key ${JSON.stringify(name.slice(0, 100))} is used twice`,
      );
    return false;
  }

  /**
   * Merges a source of `<<`: the members that the mapping itself doesn't have. With several sources, the first one that
   * has the member wins.
   */
  merge(source, made, pointer, at, depth) {
    this.count(pointer, at, depth);
    if (isAlias(source))
      return this.behind(source, pointer, at, (target) => this.merge(target, made, pointer, at, depth));
    if (source?.anchor && !this.isCopy) this.anchors.set(source.anchor, source);
    if (isSeq(source)) {
      for (const item of source.items) this.merge(item, made, pointer, at, depth + 1);
      return undefined;
    }
    if (!isMap(source))
      return void this.problems.add(at, pointer, 'invalid_syntax', '<< accepts a mapping, or a list of mappings');
    for (const [name, value] of this.members(source, pointer, depth)) if (!made.has(name)) made.set(name, value);
    return undefined;
  }

  scalar({ value, source }, pointer, at) {
    const wrong = (code, message) => {
      if (!this.isCopy) this.problems.add(at, pointer, code, message);
      return null;
    };
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return wrong('out_of_range', 'must be a finite number');
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source ?? ''))
        return wrong('out_of_range', 'has too many digits for a number: put it in quotes');
      return value;
    }
    if (typeof value === 'symbol') return '<<';
    if (typeof value !== 'string') return value ?? null;
    this.spend(value, pointer, at);
    return badText(value) ? wrong('invalid_characters', 'must not contain NUL or lone surrogates') : value;
  }
}

/** The line number of each value, and the number of values in it including itself, in the order of `Object.keys`. */
class Places {
  lines = [];
  sizes = [];
  add({ line, data }) {
    const index = this.lines.push(line) - 1;
    this.sizes.push(1);
    const members = data instanceof Map ? orderedNames(data).map((name) => data.get(name)) : data;
    if (Array.isArray(members)) for (const member of members) this.sizes[index] += this.add(member);
    return this.sizes[index];
  }
}

/** Returns names in the order of an object's keys, where names like `12` come first. */
const orderedNames = (members) => Object.keys(Object.fromEntries([...members.keys()].map((name) => [name, null])));

function plain({ data }) {
  if (data instanceof Map) return Object.fromEntries([...data].map(([name, value]) => [name, plain(value)]));
  return Array.isArray(data) ? data.map(plain) : data;
}

const badText = (text) => text.includes('\0') || /\p{Surrogate}/u.test(text);
const step = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 100);

module.exports = { read };
