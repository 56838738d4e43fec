import { Injectable } from '@nestjs/common';
import { OpaquePositions } from '../secrets/opaque-position';
import { ServerSecrets } from '../secrets/server-secrets';
import { problems } from '../problem/problem';
import { MAX_PAGE_BYTES, Page } from './page';

/** Rows at once of lists whose rows may have tens of kilobytes: a few megabytes in memory. */
export const LARGE_ROWS = 100;
/** Rows at once of lists whose rows may have several kilobytes, 16 at most. */
export const MEDIUM_ROWS = 500;

/** One list and what the client asked of it. */
export interface PageRequest<Row> {
  orgId: string;
  /** The list's name, with the id of its parent where it has one: a cursor is valid for one list only. */
  list: string;
  cursor: string | undefined;
  limit: number;
  /**
   * At most `count` rows behind the position `after`, which is `null` for the first page. In a call it stands before
   * `idOf`: TypeScript takes the type of a row from it.
   */
  read: (after: string | null, count: number) => Promise<readonly Row[]>;
  /** The sort key of a row: the next page begins behind that of the last row. */
  idOf: (row: Row) => string;
  /**
   * For lists whose rows may be large: so many rows are read at once, and no more once a page is full by its bytes.
   * Without it one statement reads the page.
   */
  rowsAtOnce?: number;
  /**
   * Count of the whole list, asked for after the page was read; without it, or when it is `null`, the page has none. Never
   * counts what has no bound: a kept counter, or `null`. Not asked for when the first page is all there is.
   */
  total?: (rows: readonly Row[]) => number | null | Promise<number | null>;
}

/**
 * List positions, encrypted for one organization and one list: some are numbers of the whole installation, by which a client
 * could count what others do. A foreign, damaged or swapped one is refused.
 */
@Injectable()
export class Cursors {
  private positions: OpaquePositions | null = null;

  constructor(private readonly secrets: ServerSecrets) {}

  encode(orgId: string, list: string, position: string): string {
    return this.opaque.seal(contextOf(orgId, list), position);
  }

  /** The position, or `null` when there is no cursor. Throws `invalid_cursor`. */
  decode(orgId: string, list: string, cursor: string | undefined): string | null {
    if (cursor === undefined) return null;
    const position = this.opaque.open(contextOf(orgId, list), cursor);
    if (position === null) throw problems.invalidCursor();
    return position;
  }

  /**
   * Reads one page: decodes the cursor, reads one row more than `limit` (fewer where rows are so large that the page would
   * have more than a megabyte), and signs the next cursor if there is one.
   */
  async paginate<Row>(request: PageRequest<Row>): Promise<Page<Row>> {
    const { orgId, list, cursor, idOf, total } = request;
    const { rows, isLast } = await readRows(request, this.decode(orgId, list, cursor));
    const cursorBehind = (index: number): string => {
      const row = rows[index];
      if (row === undefined) throw new Error(`the page has no item ${index}`);
      return this.encode(orgId, list, idOf(row));
    };
    const next = isLast || rows.length === 0 ? null : cursorBehind(rows.length - 1);
    const isWhole = cursor === undefined && isLast;
    return new Page(rows, next, total ? (isWhole ? rows.length : await total(rows)) : null, cursorBehind);
  }

  private get opaque(): OpaquePositions {
    return (this.positions ??= new OpaquePositions(this.secrets.get('cursor')));
  }
}

const contextOf = (orgId: string, list: string): string => `${orgId}\n${list}`;

/** The first portion is smaller: where rows are large, it is all that fits. */
const FIRST_PART = 4;

/** At most `limit` rows behind the position, as many as fit into a page's bytes, but at least one. */
async function readRows<Row>(
  { limit, read, idOf, rowsAtOnce }: PageRequest<Row>,
  after: string | null,
): Promise<{ rows: Row[]; isLast: boolean }> {
  const rows: Row[] = [];
  let [position, bytes] = [after, 0];
  for (;;) {
    // One row more tells whether there is another page.
    const portion = rows.length === 0 && rowsAtOnce !== undefined ? Math.ceil(rowsAtOnce / FIRST_PART) : rowsAtOnce;
    const count = Math.min(limit + 1 - rows.length, (portion ?? limit) + 1);
    const next = await read(position, count);
    for (const row of next) {
      if (rowsAtOnce !== undefined) bytes += sizeOf(row);
      if (rows.length === limit || (bytes > MAX_PAGE_BYTES && rows.length > 0)) return { rows, isLast: false };
      rows.push(row);
    }
    const last = rows.at(-1);
    if (next.length < count || last === undefined) return { rows, isLast: true };
    position = idOf(last);
  }
}

/** About what a value from the database takes: the characters and bytes in it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  if (Buffer.isBuffer(value)) return value.length;
  let size = 0;
  for (const key in value) size += key.length + sizeOf((value as Record<string, unknown>)[key]);
  return size;
}
