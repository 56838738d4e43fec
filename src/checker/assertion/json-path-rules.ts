import parse from 'jsonpath-rfc9535/parser';
import { isLongerThan } from '../../platform/text/text-limits';

const MAX_LENGTH = 256;
const FUNCTIONS = new Set(['length', 'count', 'value']);

/** The properties of a parsed path that determine how the work grows with the document. */
interface Shape {
  descents: number;
  choices: number;
  problem: string | null;
}

/**
 * Returns a problem with a JSONPath (RFC 9535), or `null`. In addition to invalid syntax, it refuses expensive paths.
 * These are regular expressions (`match`, `search`), more than one `..`, more than one list of selectors, and
 * whole-document or nested searches inside a filter. The step limit of a document (`JsonDocument`) covers the rest, so
 * no path can block the monitor.
 */
export function jsonPathProblem(path: string): string | null {
  if (isLongerThan(path, MAX_LENGTH)) return `a JSONPath may have at most ${MAX_LENGTH} characters`;
  const tree = parsed(path);
  if (tree === null) return 'this is not a JSONPath (RFC 9535) such as $.status or $.items[0].name';
  const shape: Shape = { descents: 0, choices: 0, problem: null };
  walk(tree, shape, false);
  if (shape.problem !== null) return shape.problem;
  if (shape.descents > 1) return 'a JSONPath may use .. only once';
  return shape.choices > 1 ? 'a JSONPath may use only one list of selectors' : null;
}

function parsed(path: string): unknown {
  try {
    return parse(path);
  } catch {
    return null;
  }
}

function walk(node: unknown, shape: Shape, inFilter: boolean): void {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, shape, inFilter);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const fields = node as Record<string, unknown>;
  const type = fields['type'];
  if (inFilter && (type === 'DescendantSegment' || type === 'FilterSelector' || type === 'JsonPathQuery')) {
    shape.problem = 'a filter may only refer to fixed paths inside the element that it tests';
  }
  if (type === 'FunctionExpr' && !FUNCTIONS.has(String(fields['name']))) {
    shape.problem = 'a JSONPath may only use the functions length, count and value';
  }
  if (type === 'DescendantSegment') shape.descents += 1;
  if (type === 'BracketedSelection' && Array.isArray(fields['selectors']) && fields['selectors'].length > 1) {
    shape.choices += 1;
  }
  for (const [key, part] of Object.entries(fields)) {
    if (key !== 'type') walk(part, shape, inFilter || type === 'FilterSelector');
  }
}
