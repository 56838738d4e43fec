/** A hash path. `:name` stands for any one segment, `:name?` for one or none; a pattern has at most one of them. */
export type Pattern = string;

/** The segment that stands for the parameter of a pattern, `''` without one; `null` when the path does not match. */
export function matchPath(pattern: Pattern, path: readonly string[]): string | null {
  const parts = pattern.split('/').filter((part) => part !== '');
  const required = parts.filter((part) => !part.endsWith('?')).length;
  if (path.length > parts.length || path.length < required) return null;
  if (!path.every((segment, index) => parts[index]?.startsWith(':') || parts[index] === segment)) return null;
  return path[parts.findIndex((part) => part.startsWith(':'))] ?? '';
}
