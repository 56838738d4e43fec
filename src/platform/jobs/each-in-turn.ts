/**
 * Processes the items one after the other. A failure doesn't affect the others. Throws the first failure at the end.
 */
export async function eachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
