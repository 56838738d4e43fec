import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerSecrets } from '../secrets/server-secrets';
import { problems } from '../problem/problem';
import { Page } from './page';

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
  /** Count of the whole list, asked for after the page was read; without it the page has none. */
  total?: (rows: readonly Row[]) => number | Promise<number>;
}

/** Opaque list positions, signed to one organization and one list: a foreign, damaged or swapped one is refused. */
@Injectable()
export class Cursors {
  constructor(private readonly secrets: ServerSecrets) {}

  encode(orgId: string, list: string, position: string): string {
    return `${Buffer.from(position).toString('base64url')}.${this.sign(orgId, list, position)}`;
  }

  /** The position, or `null` when there is no cursor. Throws `invalid_cursor`. */
  decode(orgId: string, list: string, cursor: string | undefined): string | null {
    if (cursor === undefined) return null;
    const [encoded, signature, more] = cursor.split('.');
    const position = Buffer.from(encoded ?? '', 'base64url').toString();
    const expected = Buffer.from(this.sign(orgId, list, position));
    const given = Buffer.from(signature ?? '');
    if (more !== undefined || given.length !== expected.length || !timingSafeEqual(given, expected))
      throw problems.invalidCursor();
    return position;
  }

  /** Reads one page: decodes the cursor, reads one row more than `limit`, and signs the next cursor if there is one. */
  async paginate<Row>({ orgId, list, cursor, limit, idOf, read, total }: PageRequest<Row>): Promise<Page<Row>> {
    const rows = await read(this.decode(orgId, list, cursor), limit + 1);
    return this.page(orgId, list, rows, limit, idOf, total ? await total(rows) : null);
  }

  /**
   * Makes a page of rows that were read with one row more than `limit`.
   * `positionOf` names the sort key of a row, from which the next page starts.
   */
  page<Row>(
    orgId: string,
    list: string,
    rows: readonly Row[],
    limit: number,
    positionOf: (row: Row) => string,
    total: number | null = null,
  ): Page<Row> {
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const next = rows.length > limit && last !== undefined ? this.encode(orgId, list, positionOf(last)) : null;
    return new Page(items, next, total);
  }

  private sign(orgId: string, list: string, position: string): string {
    return createHmac('sha256', this.secrets.get('cursor'))
      .update(`${orgId}\n${list}\n${position}`)
      .digest('base64url')
      .slice(0, 22);
  }
}
