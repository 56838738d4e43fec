/** One page of a list, as the typed client has it. */
interface Page<Item> {
  data: Item[];
  headers: { xNextCursor?: string };
  response: Response;
}

/** Asks for one page. */
export type AskForPage<Item> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

/**
 * The items of a list, of at most `most` pages of a thousand, and the headers of the last one. `isWhole`: there are no more.
 * The client's own pages have no headers and no bound.
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
