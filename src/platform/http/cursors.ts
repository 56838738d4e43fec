import { Injectable } from '@nestjs/common';
import { OpaquePositions } from '../secrets/opaque-position';
import { ServerSecrets } from '../secrets/server-secrets';
import { problems } from '../problem/problem';
import { MAX_PAGE_BYTES, Page } from './page';

/**
 * How many rows are read at once for lists whose rows are tens of kilobytes in size. They take a few megabytes of
 * memory.
 */
export const LARGE_ROWS = 100;
/** How many rows are read at once for lists whose rows are several kilobytes in size, up to 16 KB. */
export const MEDIUM_ROWS = 500;

/** A list and the page that the client requested. */
export interface PageRequest<Row> {
  orgId: string;
  /** The list's name, with the ID of its parent if it has one. A cursor is valid only for one list. */
  list: string;
  cursor: string | undefined;
  limit: number;
  /**
   * Reads at most `count` rows after the position `after`, or the first page if `after` is `null`. In a call, put this
   * property before `idOf`, because TypeScript infers the row type from it.
   */
  read: (after: string | null, count: number) => Promise<readonly Row[]>;
  /** Returns the sort key of a row. The next page starts after the key of the last row. */
  idOf: (row: Row) => string;
  /**
   * How many rows are read at once. Set this if rows can be large. Reading stops when the page has enough bytes. If
   * unset, one statement reads the whole page.
   */
  rowsAtOnce?: number;
  /**
   * Returns the size of the whole list, after the page was read. If this is unset or returns `null`, the page has no
   * total. It must not count an unbounded list. Return a maintained counter or `null` instead. It isn't called if the
   * first page is the whole list.
   */
  total?: (rows: readonly Row[]) => number | null | Promise<number | null>;
}

/**
 * Encrypts list positions for one organization and one list. Some positions are numbers that count across the whole
 * installation, which would reveal the activity of other organizations. A cursor that is damaged or belongs to another
 * organization or list is rejected.
 */
@Injectable()
export class Cursors {
  private positions: OpaquePositions | null = null;

  constructor(private readonly secrets: ServerSecrets) {}

  encode(orgId: string, list: string, position: string): string {
    return this.opaque.seal(contextOf(orgId, list), position);
  }

  /** Returns the position, or `null` if there is no cursor. Throws `invalid_cursor`. */
  decode(orgId: string, list: string, cursor: string | undefined): string | null {
    if (cursor === undefined) return null;
    const position = this.opaque.open(contextOf(orgId, list), cursor);
    if (position === null) throw problems.invalidCursor();
    return position;
  }

  /**
   * Reads one page: decodes the cursor, reads `limit` rows plus one, and encrypts the next cursor if there is one.
   * Reads fewer rows if the page would exceed one megabyte.
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

/** The first portion is smaller, because a few large rows already fill the page. */
const FIRST_PART = 4;

/** Reads at most `limit` rows after the position. Stops when the page has enough bytes, but reads at least one row. */
async function readRows<Row>(
  { limit, read, idOf, rowsAtOnce }: PageRequest<Row>,
  after: string | null,
): Promise<{ rows: Row[]; isLast: boolean }> {
  const rows: Row[] = [];
  let [position, bytes] = [after, 0];
  for (;;) {
    // The extra row shows whether there is another page.
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

/** Estimates how much memory a database value takes, based on its characters and bytes. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  if (Buffer.isBuffer(value)) return value.length;
  let size = 0;
  for (const key in value) size += key.length + sizeOf((value as Record<string, unknown>)[key]);
  return size;
}
