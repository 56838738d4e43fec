import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerSecrets } from '../secrets/server-secrets';
import { problems } from '../problem/problem';
import { Page } from './page';

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
