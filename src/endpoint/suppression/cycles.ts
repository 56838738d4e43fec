/**
 * Returns the first of these endpoints that depends on itself through others, or `null` if none does. `parentsOf`
 * contains the parents by UUID.
 */
export function firstInCycle(ids: readonly string[], parentsOf: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>();
  for (const start of ids) {
    const path = new Set<string>();
    // Depth first, without recursion, because a chain may be as long as the document.
    const stack: { id: string; next: number }[] = [];
    const enter = (id: string): void => {
      path.add(id);
      stack.push({ id, next: 0 });
    };
    if (!done.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const parent = parentsOf.get(top.id)?.[top.next++];
      if (parent === undefined) {
        stack.pop();
        path.delete(top.id);
        done.add(top.id);
      } else if (path.has(parent)) return parent;
      else if (!done.has(parent)) enter(parent);
    }
  }
  return null;
}
