import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../database/database';
import { SecretBox } from './secret-box';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';
import { NIL_UUID } from '../ids/id';

/** Rows locked by one transaction: a running service waits for at most one of them. */
const STEP = 200;

interface SealedRow {
  id: string;
  context: string;
  value: unknown;
}

export interface Rotated {
  table: string;
  column: string;
  /** Rows that were sealed again; the others were already under the first key. */
  rows: number;
}

/**
 * Seals every stored secret again under the first key, so that the others can be removed from `SECRETS_KEYS`. Works in
 * small transactions beside a running service that has the new key already; after an interruption, run it again.
 */
@Injectable()
export class SecretRotation {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** Throws `SecretUnreadable` at the first damaged value; the rows before it stay rotated. */
  async rotate(): Promise<Rotated[]> {
    const done: Rotated[] = [];
    for (const column of SEALED_COLUMNS) done.push(await this.rotateColumn(column));
    return done;
  }

  private async rotateColumn(column: SealedColumn): Promise<Rotated> {
    let rows = 0;
    for (let after: string | null = NIL_UUID; after !== null;) {
      const from: string = after;
      const step = await this.database.transaction((tx) => this.rotateStep(tx, column, from));
      rows += step.changed;
      after = step.last;
    }
    return { table: column.table, column: column.column, rows };
  }

  private async rotateStep(
    tx: Tx,
    { table, column, context, map }: SealedColumn,
    after: string,
  ): Promise<{ changed: number; last: string | null }> {
    const rows = await tx.query<SealedRow>(
      `SELECT id, ${context} AS context, ${column} AS value FROM ${table}
       WHERE id > $1 AND ${column} IS NOT NULL ORDER BY id LIMIT ${STEP} FOR UPDATE`,
      [after],
    );
    const changed = rows.filter((row) => this.isStale(row, map));
    if (changed.length > 0) {
      await tx.query(
        `UPDATE ${table} t SET ${column} = r.value::jsonb
         FROM unnest($1::uuid[], $2::text[]) AS r (id, value)
         WHERE t.id = r.id`,
        [changed.map(({ id }) => id), changed.map((row) => JSON.stringify(map(row.value, this.resealer(row.context))))],
      );
    }
    return { changed: changed.length, last: rows.length < STEP ? null : (rows.at(-1)?.id ?? null) };
  }

  private isStale(row: SealedRow, map: SealedColumn['map']): boolean {
    let isStale = false;
    map(row.value, (sealed) => {
      isStale ||= !this.secrets.isCurrent(sealed);
      return sealed;
    });
    return isStale;
  }

  private resealer(context: string): (sealed: string) => string {
    return (sealed) => this.secrets.seal(this.secrets.open(sealed, context), context);
  }
}
