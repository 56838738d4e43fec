import parse, { type JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { isBefore, isSame, NOTHING } from './json-comparison';
import { JsonContainer, type JsonDocument } from './json-document';
import { JsonNumber } from './json-number';

type Segment = JsonPathQuery['segments'][number];
type Selection = Segment['node'];
type Selector = Extract<Selection, { type: 'BracketedSelection' }>['selectors'][number];
type Condition = Extract<Selector, { type: 'FilterSelector' }>['value'];
type Comparison = Extract<Condition, { type: 'ComparisonExpr' }>;
type Comparable = Comparison['left'];
type Test = Extract<Condition, { type: 'TestExpr' }>['expression'];
type Call = Extract<Test, { type: 'FunctionExpr' }>;
type Query = Extract<Test, { type: 'FilterQuery' }>['value'];
type Slice = Extract<Selector, { type: 'SliceSelector' }>;

/** The steps that a list takes in addition to its elements. For many empty lists, this is the whole cost. */
const ABOUT_A_LIST = 8;

const parsed = new BoundedMap<string, JsonPathQuery>(2_000);

/**
 * Returns the values that a path (RFC 9535) finds, in document order. Throws: `TooComplex` if that takes more work than
 * the document allows.
 */
export function valuesAt(document: JsonDocument, path: string): unknown[] {
  return nodesAt(document, 0, queryOf(path).segments).map((node) => document.valueOf(node));
}

/**
 * The prefix of a string that represents a number in a path. Otherwise the parser would convert the number to a double.
 */
const NUMBER_MARK = '\0';
/** Matches strings, and numbers in comparisons that a double may not represent exactly. */
const LONG_NUMBERS =
  /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<=[=<>]\s{0,16})(-?\d[\d.eE+-]{14,})|(?<![\p{L}\p{N}_.[])(-?\d[\d.eE+-]{14,})(?=\s{0,16}[=!<>])/gu;

const withLongNumbers = (path: string): string =>
  path.replace(LONG_NUMBERS, (text, second?: string, first?: string) => {
    const number = second ?? first;
    return number === undefined ? text : `"\\u0000${number}"`;
  });

function queryOf(path: string): JsonPathQuery {
  const known = parsed.get(path);
  if (known) return known;
  const query = parse(withLongNumbers(path));
  parsed.set(path, query);
  return query;
}

function nodesAt(document: JsonDocument, start: number, segments: readonly Segment[]): number[] {
  let nodes = [start];
  for (const { type, node: selection } of segments) {
    const found: number[] = [];
    const finder = new Finder(document, found);
    for (const node of nodes) {
      if (type === 'ChildSegment') finder.select(node, selection);
      else finder.selectBelow(node, selection);
    }
    nodes = found;
  }
  return nodes;
}

/** Collects what one segment of a path selects from each node. */
class Finder {
  constructor(
    private readonly document: JsonDocument,
    private readonly found: number[],
  ) {}

  /** Selects from a node and all its descendants. */
  selectBelow(node: number, selection: Selection): void {
    const end = this.document.after(node);
    // Visiting a node that is neither an object nor an array costs a quarter of a step.
    this.document.spend((end - node) >> 2);
    for (let at = node; at < end; at++) this.select(at, selection);
  }

  select(node: number, selection: Selection): void {
    if (!this.document.isContainer(node)) return;
    if (selection.type !== 'BracketedSelection') return this.selectBy(node, selection);
    for (const selector of selection.selectors) this.selectBy(node, selector);
  }

  private selectBy(node: number, selector: Selector | Exclude<Selection, { type: 'BracketedSelection' }>): void {
    this.document.spend(1);
    switch (selector.type) {
      case 'MemberNameShorthand':
      case 'NameSelector':
        return this.add(this.document.memberOf(node, selector.value));
      case 'IndexSelector':
        return this.add(elementOf(this.document, node, selector.value));
      case 'WildcardSelector':
        return this.addAll(this.document.childrenOf(node));
      case 'SliceSelector':
        return this.addAll(sliceOf(this.document, node, selector));
      case 'FilterSelector':
        this.document.spend(ABOUT_A_LIST);
        return this.addAll(
          this.document.childrenOf(node).filter((child) => meets(this.document, child, selector.value)),
        );
      default:
        return selector satisfies never;
    }
  }

  private add(node: number | null): void {
    if (node !== null) this.found.push(node);
  }

  private addAll(nodes: readonly number[]): void {
    for (const node of nodes) this.found.push(node);
  }
}

function elementOf(document: JsonDocument, node: number, index: number): number | null {
  if (!document.isArray(node)) return null;
  return document.childrenOf(node, index < 0 ? Infinity : index + 1).at(index) ?? null;
}

/** Selects the elements of a slice. See RFC 9535, section 2.3.4.2.2. */
function sliceOf(document: JsonDocument, node: number, { start, end, step }: Slice): number[] {
  if (!document.isArray(node)) return [];
  document.spend(ABOUT_A_LIST);
  const elements = document.childrenOf(node);
  const { length } = elements;
  const stride = step ?? 1;
  const place = (index: number) => (index < 0 ? index + length : index);
  const within = (index: number, lowest: number) => Math.min(Math.max(place(index), lowest), length + lowest);
  const taken: number[] = [];
  if (stride > 0) {
    const last = within(end ?? length, 0);
    for (let i = within(start ?? 0, 0); i < last; i += stride) taken.push(elements[i] ?? 0);
  } else if (stride < 0) {
    const last = end === null ? -1 : within(end, -1);
    for (let i = within(start ?? length - 1, -1); i > last; i += stride) taken.push(elements[i] ?? 0);
  }
  return taken;
}

function meets(document: JsonDocument, node: number, condition: Condition): boolean {
  document.spend(1);
  switch (condition.type) {
    case 'LogicalOrExpr':
      return meets(document, node, condition.left) || meets(document, node, condition.right);
    case 'LogicalAndExpr':
      return meets(document, node, condition.left) && meets(document, node, condition.right);
    case 'LogicalNotExpr':
      return !meets(document, node, condition.expression);
    case 'ComparisonExpr':
      return compares(document, node, condition);
    case 'TestExpr': {
      const { expression } = condition;
      if (expression.type === 'FunctionExpr') return valueOfCall(document, node, expression) === true;
      return queried(document, node, expression.value).length > 0;
    }
    default:
      return condition satisfies never;
  }
}

function compares(document: JsonDocument, node: number, { left, right, op }: Comparison): boolean {
  const a = comparable(document, node, left);
  const b = comparable(document, node, right);
  switch (op) {
    case '==':
      return isSame(a, b);
    case '!=':
      return !isSame(a, b);
    case '<':
      return isBefore(a, b);
    case '<=':
      return isBefore(a, b) || isSame(a, b);
    case '>':
      return isBefore(b, a);
    case '>=':
      return isBefore(b, a) || isSame(a, b);
    default:
      return op satisfies never;
  }
}

function comparable(document: JsonDocument, node: number, side: Comparable): unknown {
  document.spend(1);
  switch (side.type) {
    case 'Literal':
      return literalOf(side.value);
    case 'FunctionExpr':
      return valueOfCall(document, node, side);
    case 'RelSingularQuery':
    case 'AbsSingularQuery': {
      let at: number | null = side.type === 'RelSingularQuery' ? node : 0;
      for (const { node: selector } of side.segments) {
        if (at === null) break;
        at =
          selector.type === 'IndexSelector'
            ? elementOf(document, at, indexOf(selector))
            : document.memberOf(at, selector.value);
      }
      return at === null ? NOTHING : document.valueOf(at);
    }
    default:
      return side satisfies never;
  }
}

const literalOf = (value: string | number | boolean | null): unknown =>
  typeof value === 'string' && value.startsWith(NUMBER_MARK) ? new JsonNumber(value.slice(1)) : value;

/** Inside a comparison, the parser wraps an index once more than its types declare. */
const indexOf = (selector: { value?: number; selector?: { value: number } }): number =>
  selector.selector?.value ?? selector.value ?? 0;

const queried = (document: JsonDocument, node: number, query: Query): number[] =>
  nodesAt(document, query.type === 'RelQuery' ? node : 0, query.segments);

/** Evaluates the functions that the path rules allow. Other functions are never true and equal nothing. */
function valueOfCall(document: JsonDocument, node: number, { name, arguments: [argument] }: Call): unknown {
  document.spend(1);
  if (argument === undefined) return NOTHING;
  if (name === 'length') return lengthOf(document, argumentValue(document, node, argument));
  if (argument.type !== 'FilterQuery') return NOTHING;
  const nodes = queried(document, node, argument.value);
  if (name === 'count') return nodes.length;
  return name === 'value' && nodes.length === 1 ? document.valueOf(nodes[0] ?? 0) : NOTHING;
}

function argumentValue(document: JsonDocument, node: number, argument: Call['arguments'][number]): unknown {
  if (argument.type === 'Literal') return argument.value;
  if (argument.type === 'FunctionExpr') return valueOfCall(document, node, argument);
  if (argument.type !== 'FilterQuery') return NOTHING;
  const nodes = queried(document, node, argument.value);
  return nodes.length === 1 ? document.valueOf(nodes[0] ?? 0) : NOTHING;
}

function lengthOf(document: JsonDocument, value: unknown): unknown {
  if (value instanceof JsonContainer) return document.childrenOf(value.node).length;
  if (typeof value !== 'string') return NOTHING;
  document.spend(value.length >> 2);
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}
