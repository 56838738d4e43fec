/**
 * Returns an endpoint's tags after adding and removing tags, or `null` if nothing changes. A tag in both lists is
 * added.
 */
export function changedTags(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] | null {
  const wanted = new Set([...tags.filter((tag) => !removed.includes(tag)), ...added]);
  return wanted.size === tags.length && tags.every((tag) => wanted.has(tag)) ? null : [...wanted];
}
