import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../database/database';
import { SecretBox, SecretUnreadable } from './secret-box';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';
import { NIL_UUID } from '../ids/id';

/**
 * The number of rows that are locked per transaction. A running service waits for at most one of these transactions.
 */
const STEP = 200;

interface SealedRow {
  id: string;
  context: string;
  value: unknown;
}

export interface Rotated {
  table: string;
  column: string;
  /** The number of rows that were re-encrypted. All other rows already used the first key. */
  rows: number;
  /** Rows that were not changed because they contain a value that can't be decrypted. */
  unreadable: UnreadableRow[];
}

/** A row that can't be decrypted. `why` contains at most the missing key's ID, never the value. */
export interface UnreadableRow {
  id: string;
  why: string;
}

interface Step {
  changed: number;
  unreadable: UnreadableRow[];
  /** The row after which to continue, or `null` at the end. */
  last: string | null;
}

/**
 * Re-encrypts all stored secrets with the first key, so that the other keys can be removed from `SECRETS_KEYS`. Uses
 * small transactions, because a service with the new key may be running. After an interruption, run it again.
 */
@Injectable()
export class SecretRotation {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** Continues after values that can't be decrypted, and reports their rows. */
  async rotate(): Promise<Rotated[]> {
    const done: Rotated[] = [];
    for (const column of SEALED_COLUMNS) done.push(await this.rotateColumn(column));
    return done;
  }

  private async rotateColumn(column: SealedColumn): Promise<Rotated> {
    const done: Rotated = { table: column.table, column: column.column, rows: 0, unreadable: [] };
    for (let after: string | null = NIL_UUID; after !== null;) {
      const from: string = after;
      const step: Step = await this.database.transaction((tx) => this.rotateStep(tx, column, from));
      done.rows += step.changed;
      done.unreadable.push(...step.unreadable);
      after = step.last;
    }
    return done;
  }

  private async rotateStep(tx: Tx, { table, column, context, map }: SealedColumn, after: string): Promise<Step> {
    const rows = await tx.query<SealedRow>(
      `SELECT id, ${context} AS context, ${column} AS value FROM ${table}
       WHERE id > $1 AND ${column} IS NOT NULL ORDER BY id LIMIT ${STEP} FOR UPDATE`,
      [after],
    );
    const unreadable: UnreadableRow[] = [];
    const changed = rows.flatMap((row): { id: string; value: string }[] => {
      if (!this.isStale(row, map)) return [];
      try {
        return [{ id: row.id, value: JSON.stringify(map(row.value, this.resealer(row.context))) }];
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        unreadable.push({ id: row.id, why: error.message });
        return [];
      }
    });
    if (changed.length > 0) {
      await tx.query(
        `UPDATE ${table} t SET ${column} = r.value::jsonb
         FROM unnest($1::uuid[], $2::text[]) AS r (id, value)
         WHERE t.id = r.id`,
        [changed.map(({ id }) => id), changed.map(({ value }) => value)],
      );
    }
    return { changed: changed.length, unreadable, last: rows.length < STEP ? null : (rows.at(-1)?.id ?? null) };
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
