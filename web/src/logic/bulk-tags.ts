/** The tags of one endpoint after some were added and some taken away; `null` when they are the same. Added ones win. */
export function changedTags(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] | null {
  const wanted = new Set([...tags.filter((tag) => !removed.includes(tag)), ...added]);
  return wanted.size === tags.length && tags.every((tag) => wanted.has(tag)) ? null : [...wanted];
}
