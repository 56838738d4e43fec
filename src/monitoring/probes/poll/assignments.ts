import { Injectable, Logger } from '@nestjs/common';
import { CHECKED_SETTINGS, type CheckedSettings } from '../../../endpoint/check-definitions';
import { Endpoint } from '../../../endpoint/endpoint.entity';
import { EndpointSettingsResolver, type OpenedSecrets } from '../../../endpoint/settings/endpoint-settings';
import { Config } from '../../../platform/config/config';
import { WorkerDatabase } from '../../../platform/database/database';
import { selectColumns } from '../../../platform/database/select-columns';
import { formatId, NIL_UUID } from '../../../platform/ids/id';
import { SecretUnreadable } from '../../../platform/secrets/secret-box';
import { digestOf } from '../../../probe-protocol/digest';
import { type AssignedEndpoint, MAX_DEFINITIONS, MAX_DEFINITIONS_BYTES } from '../../../probe-protocol/protocol';
import { definitionOf, readableBy } from '../definition';

/** The probe that requests its endpoints: its number, and whether it may reach private addresses. */
export interface Assignee {
  number: number;
  /** A shared probe may reach private addresses only for the Default organization, if at all. */
  isShared: boolean;
  allowPrivate: boolean;
  /** True if the probe applies the settings of a definition. */
  readsSettings: boolean;
}

/** The changes to send to a probe, in the order of their numbers. If everything is sent, they are in endpoint order. */
export interface Told {
  endpoints: AssignedEndpoint[];
  /** UUIDs. */
  removed: string[];
  /**
   * The position after these changes: the number of the last change, and, while everything is being sent, the last
   * endpoint (UUID).
   */
  numbered: number;
  after: string | null;
}

interface Row extends CheckedSettings {
  id: string;
  orgId: string;
  isDefaultOrg: boolean;
  revision: number;
  intervalSeconds: number;
  phaseMs: number;
  confirmAt: number | null;
  /** True if nothing was ever recorded at this location. */
  isNew: boolean;
  /** True if nothing was recorded since the last change, or for longer than a check should take. */
  isOverdue: boolean;
}

// If one vote decides, failures are confirmed before they trigger the earliest alert. Cost: an index lookup of each
// endpoint's alerts.
const COLUMNS = `${selectColumns(Endpoint, 'e', ['id', 'orgId', 'revision', ...CHECKED_SETTINGS])},
         o.is_default AS "isDefaultOrg", s.interval_seconds AS "intervalSeconds", l.phase_ms AS "phaseMs",
         CASE WHEN e.location_count = 1 OR e.quorum IN ('any', '1')
              THEN (SELECT min(a.failure_threshold) FROM alert a WHERE a.endpoint_id = e.id AND a.enabled) END AS "confirmAt",
         l.last_checked_at IS NULL AS "isNew",
         coalesce(l.last_checked_at < e.updated_at OR l.last_slot_at < $3::timestamptz - make_interval(secs => 1.5 * s.interval_seconds), true) AS "isOverdue"`;
const FROM = `endpoint_location l
    JOIN endpoint_schedule s ON s.endpoint_id = l.endpoint_id AND s.active
    JOIN endpoint e ON e.id = l.endpoint_id
    JOIN organization o ON o.id = e.org_id`;

// Endpoints that have since been deleted or paused are absent.
const SOME = `SELECT ${COLUMNS} FROM ${FROM} WHERE l.number = $1 AND l.endpoint_id = ANY ($2::uuid[])`;

// Cost: one location's rows, found by index and sorted by endpoint for each page.
const PAGE = `
  SELECT ${COLUMNS} FROM ${FROM} WHERE l.number = $1 AND l.endpoint_id > $2 ORDER BY l.endpoint_id LIMIT ${MAX_DEFINITIONS + 1}`;

// Cost: two index ranges.
const CHANGES = `
  SELECT endpoint_id AS "endpointId", version::float8 AS version, removed FROM (
    SELECT endpoint_id, version, false AS removed FROM endpoint_location WHERE number = $1 AND version > $2
    UNION ALL
    SELECT endpoint_id, version, true FROM probe_removal WHERE number = $1 AND version > $2) AS changes
   ORDER BY version LIMIT ${MAX_DEFINITIONS}`;

// Reads narrow rows for one location. If a change is still unsent, no comparison is possible.
const HELD = `
  SELECT l.endpoint_id AS "endpointId", s.revision, coalesce(l.version > $2::bigint, true) AS "isAhead"
    FROM endpoint_location l JOIN endpoint_schedule s ON s.endpoint_id = l.endpoint_id
   WHERE l.number = $1 AND (s.active OR coalesce(l.version > $2::bigint, true))`;

/** The endpoints that a probe has to check: their definitions, including the secrets they need. */
@Injectable()
export class Assignments {
  private readonly logger = new Logger(Assignments.name);
  private reported = '';

  constructor(
    private readonly database: WorkerDatabase,
    private readonly settings: EndpointSettingsResolver,
    private readonly config: Config,
  ) {}

  /** Returns the changes after the number `since`, oldest first. Cost: one statement, or two if there are changes. */
  async changed(to: Assignee, since: number, now: Date): Promise<Told & { more: boolean }> {
    const changes = await this.database.query<{ endpointId: string; version: number; removed: boolean }>(CHANGES, [
      to.number,
      since,
    ]);
    if (changes.length === 0) return { endpoints: [], removed: [], numbered: since, after: null, more: false };
    const wanted = new Set(changes.flatMap(({ endpointId, removed }) => (removed ? [] : [endpointId])));
    const rows = wanted.size === 0 ? [] : await this.database.query<Row>(SOME, [to.number, [...wanted], now]);
    const byId = new Map(
      this.toldOf(rows, to, (row) => row.isNew || row.isOverdue).map((told) => [told.id, told] as const),
    );
    const endpoints: AssignedEndpoint[] = [];
    const [removed, sent] = [new Set<string>(), new Set<string>()];
    let [numbered, bytes, isFull] = [since, 0, false];
    for (const { endpointId, version } of changes) {
      const told = byId.get(endpointId);
      if (told && bytes > 0 && bytes + told.bytes > MAX_DEFINITIONS_BYTES) {
        isFull = true;
        break;
      }
      numbered = version;
      bytes += told?.bytes ?? 0;
      // The endpoint has been deleted or paused, or can't be read, regardless of the kind of change.
      if (!told) {
        if (!sent.has(endpointId)) removed.add(endpointId);
        continue;
      }
      endpoints.push(told.endpoint);
      sent.add(endpointId);
      removed.delete(endpointId);
      byId.delete(endpointId);
    }
    return {
      endpoints,
      removed: [...removed],
      numbered,
      after: null,
      more: isFull || changes.length === MAX_DEFINITIONS,
    };
  }

  /**
   * Returns a page of all endpoints, starting after the endpoint `after` (UUID, or `null` for the first page).
   * `numbered` doesn't change between pages, because changes made in the meantime are sent afterwards.
   */
  async page(to: Assignee, after: string | null, numbered: number, now: Date): Promise<Told & { more: boolean }> {
    const rows = await this.database.query<Row>(PAGE, [to.number, after ?? NIL_UUID, now]);
    const told = this.toldOf(rows.slice(0, MAX_DEFINITIONS), to, (row) => row.isNew);
    let bytes = 0;
    const fitting = told.findIndex((one, index) => (bytes += one.bytes) > MAX_DEFINITIONS_BYTES && index > 0);
    const page = fitting < 0 ? told : told.slice(0, fitting);
    const more = fitting >= 0 || rows.length > MAX_DEFINITIONS;
    const last = fitting >= 0 ? page.at(-1)?.id : rows[MAX_DEFINITIONS - 1]?.id;
    return {
      endpoints: page.map(({ endpoint }) => endpoint),
      removed: [],
      numbered,
      after: more ? (last ?? null) : null,
      more,
    };
  }

  /**
   * Returns whether a probe that got all changes up to the number `numbered` has the expected endpoints. Also true
   * while there are more changes to send.
   */
  async holds(number: number, numbered: number, held: { count: number; digest: string }): Promise<boolean> {
    const rows = await this.database.query<{ endpointId: string; revision: number; isAhead: boolean }>(HELD, [
      number,
      numbered,
    ]);
    if (rows.some(({ isAhead }) => isAhead)) return true;
    const expected = rows.map(({ endpointId, revision }) => ({
      endpoint_id: formatId('endpoint', endpointId),
      revision,
    }));
    return expected.length === held.count && digestOf(expected) === held.digest;
  }

  private toldOf(rows: readonly Row[], to: Assignee, isAtOnce: (row: Row) => boolean): ToldOne[] {
    return rows.flatMap((row) => {
      const secrets = this.secretsOf(row);
      if (secrets === null) return [];
      const endpoint: AssignedEndpoint = {
        endpoint_id: formatId('endpoint', row.id),
        organization: formatId('organization', row.orgId),
        revision: row.revision,
        interval: row.intervalSeconds,
        phase_ms: row.phaseMs,
        run_now: isAtOnce(row),
        confirm_at: this.config.confirmFailures ? row.confirmAt : null,
        allow_private: mayReachPrivate(to, row.isDefaultOrg),
        definition: readableBy(definitionOf(row, secrets), to.readsSettings),
      };
      return [{ id: row.id, endpoint, bytes: Buffer.byteLength(JSON.stringify(endpoint)) }];
    });
  }

  /**
   * If secrets can't be decrypted with this process's keys, the endpoint can't be checked elsewhere either. This is
   * logged once, and the endpoint is removed from the probe.
   */
  private secretsOf(row: Row): OpenedSecrets | null {
    const { id } = row;
    try {
      return this.settings.openSecrets(id, row);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      if (error.message !== this.reported)
        this.logger.error(`Endpoint ${id} is not assigned to its probes: ${error.message}`);
      this.reported = error.message;
      return null;
    }
  }
}

interface ToldOne {
  /** UUID. */
  id: string;
  endpoint: AssignedEndpoint;
  bytes: number;
}

/** Returns whether an organization's checks may reach private addresses from a probe. */
export const mayReachPrivate = (
  { isShared, allowPrivate }: Pick<Assignee, 'isShared' | 'allowPrivate'>,
  isDefaultOrg: boolean,
): boolean => allowPrivate && (!isShared || isDefaultOrg);
