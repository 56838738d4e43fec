import { Injectable } from '@nestjs/common';
import type { Sql, Tx } from '../platform/database/database';
import { KEY } from '../platform/http/body/resource-key';

/** The location of what the instances of the service check themselves. */
export const LOCAL_NAME = 'local';
/** What the keys of probes that the operator shares begin with, where an endpoint names them. */
export const SHARED_PREFIX = 'shared/';
/** A location as it is written; `local` has the form of a key. */
export const LOCATION_PATTERN = `^(${SHARED_PREFIX})?${KEY.source.slice(1)}`;
/** SQL: the location of a row of `endpoint_location` named l and its probe p, which is missing for `local`. */
export const LOCATION_NAME = `CASE WHEN l.number = 0 THEN '${LOCAL_NAME}' WHEN p.org_id IS NULL THEN '${SHARED_PREFIX}' || coalesce(p.key, '') ELSE p.key END`;

/** A probe as an endpoint names it. */
export interface KnownProbe {
  /** What history stores of it. */
  number: number;
  /** uuid. */
  id: string;
  /** uuid of the organization that it is of; `null`: shared by the operator. */
  orgId: string | null;
  /** `<key>`, or `shared/<key>` of one that the operator shares. */
  location: string;
  name: string;
  region: string;
  enabled: boolean;
  /** Its checks may reach private addresses, of a shared one those of organization Default only. */
  allowPrivate: boolean;
  online: boolean;
  /** What it has said it checks; `null` before its first request. */
  types: string[] | null;
}

const COLUMNS = `number, id, org_id AS "orgId", CASE WHEN org_id IS NULL THEN '${SHARED_PREFIX}' ELSE '' END || key AS location, name, region,
  enabled, allow_private AS "allowPrivate", online, types`;

const NAMED = `SELECT ${COLUMNS} FROM probe
   WHERE (org_id = $1 AND key = ANY ($2::text[])) OR (org_id IS NULL AND '${SHARED_PREFIX}' || key = ANY ($2::text[]))`;

/** Which probes there are, by the names and numbers of locations. */
@Injectable()
export class ProbeDirectory {
  /** Those of these locations (`<key>`, `shared/<key>`) that the organization may name, by location. One statement, none for `local` alone. */
  async named(sql: Sql, orgId: string, locations: readonly string[]): Promise<Map<string, KnownProbe>> {
    return namedBy(sql, orgId, locations, NAMED);
  }

  /** As `named`, of which none can be deleted until the transaction ends: for whoever is about to name them. */
  async hold(tx: Tx, orgId: string, locations: readonly string[]): Promise<Map<string, KnownProbe>> {
    return namedBy(tx, orgId, locations, `${NAMED} ORDER BY id FOR KEY SHARE`);
  }

  /** By number, those that still exist; 0 is not among them. One statement, none without numbers. */
  async numbered(sql: Sql, numbers: readonly number[]): Promise<Map<number, KnownProbe>> {
    const asked = [...new Set(numbers)].filter((number) => number !== 0);
    if (asked.length === 0) return new Map();
    const rows = await sql.query<KnownProbe>(`SELECT ${COLUMNS} FROM probe WHERE number = ANY ($1::smallint[])`, [
      asked,
    ]);
    return new Map(rows.map((row) => [row.number, row]));
  }

  /** Those of the organization and those that the operator shares, without disabled ones. One statement. */
  visible(sql: Sql, orgId: string): Promise<KnownProbe[]> {
    return sql.query<KnownProbe>(
      `SELECT ${COLUMNS} FROM probe WHERE (org_id = $1 OR org_id IS NULL) AND enabled ORDER BY org_id, key`,
      [orgId],
    );
  }

  /** What these locations are called; absent: its probe is deleted. One statement, none for `local` alone. */
  async names(sql: Sql, numbers: readonly number[]): Promise<Map<number, string>> {
    return namesOf(await this.numbered(sql, numbers));
  }

  /**
   * The same of what history holds: a number of a deleted probe may be that of another organization's by now, which is not
   * named.
   */
  async namesIn(sql: Sql, orgId: string, numbers: readonly number[]): Promise<Map<number, string>> {
    const known = await this.numbered(sql, numbers);
    return namesOf([...known].filter(([, probe]) => probe.orgId === null || probe.orgId === orgId));
  }
}

const namesOf = (known: Iterable<readonly [number, KnownProbe]>): Map<number, string> =>
  new Map([[0, LOCAL_NAME], ...Array.from(known, ([number, { location }]) => [number, location] as const)]);

async function namedBy(
  sql: Sql,
  orgId: string,
  locations: readonly string[],
  statement: string,
): Promise<Map<string, KnownProbe>> {
  const asked = locations.filter((location) => location !== LOCAL_NAME);
  if (asked.length === 0) return new Map();
  const rows = await sql.query<KnownProbe>(statement, [orgId, asked]);
  return new Map(rows.map((row) => [row.location, row]));
}
