import { Injectable } from '@nestjs/common';
import type { Sql, Tx } from '../platform/database/database';
import { KEY } from '../platform/http/body/resource-key';

/** The location name for checks that the service runs itself. */
export const LOCAL_NAME = 'local';
/** The prefix for keys of shared probes in an endpoint's locations. */
export const SHARED_PREFIX = 'shared/';
/** The format of a location. `local` has the same format as a key. */
export const LOCATION_PATTERN = `^(${SHARED_PREFIX})?${KEY.source.slice(1)}`;
/**
 * SQL: the name of the location in a row `l` of `endpoint_location`, with its probe `p`, which is missing for `local`.
 */
export const LOCATION_NAME = `CASE WHEN l.number = 0 THEN '${LOCAL_NAME}' WHEN p.org_id IS NULL THEN '${SHARED_PREFIX}' || coalesce(p.key, '') ELSE p.key END`;

/** A probe under the name that endpoints use. */
export interface KnownProbe {
  /** The number under which history is stored. */
  number: number;
  /** The probe's UUID. */
  id: string;
  /** The UUID of its organization, or `null` if the operator shares it. */
  orgId: string | null;
  /** `<key>`, or `shared/<key>` for a shared probe. */
  location: string;
  name: string;
  region: string;
  enabled: boolean;
  /**
   * Whether its checks may reach private addresses. On a shared probe, this only applies to checks of the Default
   * organization.
   */
  allowPrivate: boolean;
  online: boolean;
  /** The types that it reported, or `null` before its first request. */
  types: string[] | null;
}

const COLUMNS = `number, id, org_id AS "orgId", CASE WHEN org_id IS NULL THEN '${SHARED_PREFIX}' ELSE '' END || key AS location, name, region,
  enabled, allow_private AS "allowPrivate", online, types`;

const NAMED = `SELECT ${COLUMNS} FROM probe
   WHERE (org_id = $1 AND key = ANY ($2::text[])) OR (org_id IS NULL AND '${SHARED_PREFIX}' || key = ANY ($2::text[]))`;

/** Finds probes by location name or number. */
@Injectable()
export class ProbeDirectory {
  /**
   * Returns the probes at these locations (`<key>`, `shared/<key>`) that the organization may use, by location. Cost:
   * one statement, or none for `local` alone.
   */
  async named(sql: Sql, orgId: string, locations: readonly string[]): Promise<Map<string, KnownProbe>> {
    return namedBy(sql, orgId, locations, NAMED);
  }

  /**
   * Works like `named`, but the probes can't be deleted until the transaction ends. Use this before you store the
   * names.
   */
  async hold(tx: Tx, orgId: string, locations: readonly string[]): Promise<Map<string, KnownProbe>> {
    return namedBy(tx, orgId, locations, `${NAMED} ORDER BY id FOR KEY SHARE`);
  }

  /** Returns the existing probes by number. 0 isn't included. Cost: one statement, or none without numbers. */
  async numbered(sql: Sql, numbers: readonly number[]): Promise<Map<number, KnownProbe>> {
    const asked = [...new Set(numbers)].filter((number) => number !== 0);
    if (asked.length === 0) return new Map();
    const rows = await sql.query<KnownProbe>(`SELECT ${COLUMNS} FROM probe WHERE number = ANY ($1::smallint[])`, [
      asked,
    ]);
    return new Map(rows.map((row) => [row.number, row]));
  }

  /** Returns the organization's probes and shared probes, except disabled ones. Cost: one statement. */
  visible(sql: Sql, orgId: string): Promise<KnownProbe[]> {
    return sql.query<KnownProbe>(
      `SELECT ${COLUMNS} FROM probe WHERE (org_id = $1 OR org_id IS NULL) AND enabled ORDER BY org_id, key`,
      [orgId],
    );
  }

  /**
   * Returns the names of these locations. A name is missing if the probe was deleted. Cost: one statement, or none for
   * `local` alone.
   */
  async names(sql: Sql, numbers: readonly number[]): Promise<Map<number, string>> {
    return namesOf(await this.numbered(sql, numbers));
  }

  /**
   * Works like `names`, for locations stored in history. A deleted probe's number may have been reused by another
   * organization. Such a location gets no name.
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
