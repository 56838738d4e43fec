/** Works on one after the other; one that fails keeps none of the others from its turn. Throws the first failure, at the end. */
export async function eachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
