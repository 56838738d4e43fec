/**
 * A hash path. `:name` matches one segment, and `:name?` matches one or none. A pattern has at most one such parameter.
 */
export type Pattern = string;

/**
 * Returns the segment that matches a pattern's parameter, or `''` if there is none. `null` if the path doesn't match.
 */
export function matchPath(pattern: Pattern, path: readonly string[]): string | null {
  const parts = pattern.split('/').filter((part) => part !== '');
  const required = parts.filter((part) => !part.endsWith('?')).length;
  if (path.length > parts.length || path.length < required) return null;
  if (!path.every((segment, index) => parts[index]?.startsWith(':') || parts[index] === segment)) return null;
  return path[parts.findIndex((part) => part.startsWith(':'))] ?? '';
}
