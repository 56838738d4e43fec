/** A list page, as the typed client returns it. */
interface Page<Item> {
  data: Item[];
  headers: { xNextCursor?: string };
  response: Response;
}

export type AskForPage<Item> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

/**
 * Returns the items from at most `most` pages with 1,000 items each, and the headers of the last page. `isWhole` is
 * true if no items are missing. The client's own paging returns no headers and has no limit.
 */
export async function allPages<Item>(
  ask: AskForPage<Item>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: Item[]; isWhole: boolean; headers: Headers }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const { data, headers, response } = await ask({ limit: 1000, cursor });
    items.push(...data);
    cursor = headers.xNextCursor;
    if (cursor === undefined || page >= most)
      return { items, isWhole: cursor === undefined, headers: response.headers };
  }
}
