import { Injectable } from '@nestjs/common';
import { recordChanges } from '../audit/audit-log';
import { countChange } from '../audit/changed-bytes';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { epochMs } from '../platform/database/epoch-ms';
import { TransactionEvents } from '../platform/events/transaction-events';
import { formatId, newUuid, parseId } from '../platform/ids/id';
import { failpoint } from '../platform/observability/failpoints';
import { problems } from '../platform/problem/problem';
import type { IncidentDetailView, MergeIncidentsDto, SplitIncidentDto } from './incident.dto';
import { IncidentChanged, IncidentMembersMoved } from './incident-events';
import type { IncidentRow } from './incident-row';
import { automaticStatus, refusalOfMerged } from './incident-rules';
import { about, IncidentService } from './incident.service';
import { IncidentStore } from './incident-store';

/** The size of an incident's row, including its indexes. */
const ROW_BYTES = 500;

// Cost: the members of the incident.
/** Incidents that were merged into it earlier and now leave it with all of their endpoints. */
const PARTING = `
  SELECT merged_from AS id, count(*)::int AS count FROM incident_member WHERE incident_id = $1 AND merged_from IS NOT NULL
   GROUP BY merged_from HAVING bool_and(endpoint_id = ANY ($2::uuid[]))`;

/**
 * Gives the new incident the same age as the old one, so that nothing joins it that couldn't have joined the old one,
 * and the same acknowledgement. If it is the incident that was merged into the old one ($5), its former title, times,
 * and opener are restored.
 */
const INSERT_SPLIT = `
  INSERT INTO incident (id, org_id, number, kind, severity, cause, title, opener_endpoint_id, opener_address, started_at, opened_at,
                        joined_at, reopened, ack_by, ack_person_id, ack_at, ack_note, ack_until, created_at, updated_at)
  SELECT $2, i.org_id, $3, i.kind, COALESCE(was.severity, i.severity), 'people', was.title, was.opener_endpoint_id, was.opener_address,
         i.started_at, COALESCE(was.opened_at, i.opened_at), COALESCE(was.joined_at, i.joined_at), COALESCE(was.reopened, 0),
         i.ack_by, i.ack_person_id, i.ack_at, i.ack_note, i.ack_until, $4, $4
    FROM incident i LEFT JOIN incident was ON was.id = $5 WHERE i.id = $1`;

// Cost: one lookup for each endpoint.
const MOVE = `
  UPDATE incident_member SET incident_id = $2, merged_from = NULL
   WHERE incident_id = $1 AND endpoint_id = ANY ($3::uuid[]) RETURNING endpoint_id AS id`;

// Cost: the incident's updates, from both.
/**
 * Removes the automatic updates from the time when these incidents were merged into it, because they described all of
 * them together.
 */
const TAKE_BACK = `
  DELETE FROM incident_update u USING incident was
   WHERE u.incident_id = $1 AND u.automatic AND u.merged_from IS NULL AND was.id = ANY ($2::uuid[]) AND u.at = was.updated_at`;
const RETURN_UPDATES = `
  UPDATE incident_update SET incident_id = $3, merged_from = NULL WHERE incident_id = $1 AND merged_from = ANY ($2::uuid[])`;

// Cost: every member of the incidents is written once. All are deleted before the first is written, so that no endpoint
// is ever an open member of two incidents.
/**
 * Combines an endpoint that was in several of the incidents into one member, which starts at the earliest start and is
 * open while it is open in any of them. Each member keeps its origin, unless it was here before.
 */
const GATHER = `
  WITH gone AS (DELETE FROM incident_member WHERE incident_id = ANY ($2::uuid[]) RETURNING *),
       span AS (SELECT endpoint_id, min(started_at) AS started_at, bool_or(held) AS held, bool_or(ack_due) AS ack_due,
                       CASE WHEN count(*) = count(ended_at) THEN max(ended_at) END AS ended_at,
                       bool_or(incident_id = $1) AS own, (array_agg(merged_from) FILTER (WHERE incident_id = $1))[1] AS merged_from
                  FROM gone GROUP BY endpoint_id)
  INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at,
                               error_code, error_message, held, ack_due, merged_from)
  SELECT DISTINCT ON (endpoint_id) $1::uuid, endpoint_id, g.org_id, g.website_id, g.endpoint_name, g.website_name, span.started_at,
         span.ended_at, g.error_code, g.error_message, span.held, span.ack_due,
         CASE WHEN span.own THEN span.merged_from ELSE g.incident_id END
    FROM gone g JOIN span USING (endpoint_id) ORDER BY endpoint_id, g.started_at
  RETURNING endpoint_id AS id`;

// Cost: the outages that move.
const MOVE_OUTAGES = `
  UPDATE incident_outage SET incident_id = $2 WHERE incident_id = $1 AND endpoint_id = ANY ($3::uuid[])`;

// Cost: every outage of the incidents that are merged is written once.
/** Moves all outages to the incident. An outage that an endpoint has in several of them is kept once. */
const GATHER_OUTAGES = `
  WITH gone AS (DELETE FROM incident_outage WHERE incident_id = ANY ($2::uuid[]) RETURNING *)
  INSERT INTO incident_outage AS o (incident_id, endpoint_id, started_at, ended_at, error_code, error_message)
  SELECT DISTINCT ON (endpoint_id, started_at) $1::uuid, endpoint_id, started_at, ended_at, error_code, error_message
    FROM gone ORDER BY endpoint_id, started_at, ended_at DESC NULLS FIRST
  ON CONFLICT (incident_id, endpoint_id, started_at) DO UPDATE
    SET ended_at = CASE WHEN o.ended_at IS NOT NULL AND EXCLUDED.ended_at IS NOT NULL THEN greatest(o.ended_at, EXCLUDED.ended_at) END`;

// Cost: the members and outages of the incident.
/**
 * Recounts the members and recalculates the times. If the opener is no longer a member, the first member replaces it.
 * If no endpoint is bad, the acknowledgement is removed.
 */
const RECOUNT = `
  UPDATE incident i
     SET cause = 'people', cause_value = NULL, cause_name = NULL, started_at = n.started_at,
         outage_count = greatest(p.count, 1), last_started_at = COALESCE(p.last_started_at, n.started_at), earlier_downtime_ms = p.earlier_ms,
         ended_at = CASE WHEN n.open = 0 THEN n.ended_at END, endpoint_count = n.count, open_count = n.open, updated_at = $2,
         opener_endpoint_id = o.endpoint_id, opener_website_id = o.website_id, opener_name = o.endpoint_name,
         opener_error_code = o.error_code,
         opener_address = CASE WHEN o.endpoint_id = i.opener_endpoint_id THEN i.opener_address END,
         ack_by = CASE WHEN n.open > 0 THEN i.ack_by END, ack_person_id = CASE WHEN n.open > 0 THEN i.ack_person_id END, ack_at = CASE WHEN n.open > 0 THEN i.ack_at END,
         ack_note = CASE WHEN n.open > 0 THEN i.ack_note END, ack_until = CASE WHEN n.open > 0 THEN i.ack_until END
    FROM (SELECT min(started_at) AS started_at, max(ended_at) AS ended_at, count(*)::int AS count,
                 count(*) FILTER (WHERE ended_at IS NULL)::int AS open
            FROM incident_member WHERE incident_id = $1) n,
         (SELECT count(*)::int AS count, max(lower(period)) AS last_started_at,
                 COALESCE(sum(${epochMs('upper(period)')} - ${epochMs('lower(period)')}) FILTER (WHERE place > 1), 0) AS earlier_ms
            FROM (SELECT period, row_number() OVER (ORDER BY period DESC) AS place
                    FROM (SELECT unnest(range_agg(tstzrange(started_at, ended_at, '[]'))) AS period
                            FROM incident_outage WHERE incident_id = $1) all_periods) periods) p,
         (SELECT m.endpoint_id, m.website_id, m.endpoint_name, m.error_code
            FROM incident_member m JOIN incident j ON j.id = m.incident_id
           WHERE m.incident_id = $1
           ORDER BY m.endpoint_id IS DISTINCT FROM j.opener_endpoint_id, m.started_at, m.endpoint_id LIMIT 1) o
   WHERE i.id = $1`;

const EMPTY = `
  UPDATE incident SET merged_into = $2, ended_at = coalesce(ended_at, $3), endpoint_count = 0, open_count = 0, public_at = NULL,
         status = NULL, ack_by = NULL, ack_person_id = NULL, ack_at = NULL, ack_note = NULL, ack_until = NULL, updated_at = $3
   WHERE id = ANY ($1::uuid[])`;

const MOVE_UPDATES = `
  UPDATE incident_update SET incident_id = $2, merged_from = incident_id WHERE incident_id = ANY ($1::uuid[]) RETURNING 1`;

// Cost: the incident's updates.
/** Sets the last status from all updates, and when the first public one was posted. */
const LAST_SAID = `
  UPDATE incident i
     SET status = (SELECT u.status FROM incident_update u
                    WHERE u.incident_id = i.id AND u.status <> 'postmortem' ORDER BY u.at DESC, u.id DESC LIMIT 1),
         public_at = (SELECT min(u.at) FROM incident_update u WHERE u.incident_id = i.id AND u.public)
   WHERE i.id = $1`;

/**
 * Lets users correct the grouping. Locks the organization's sequence first, so that nothing joins or leaves any of its
 * incidents in the meantime. Throws `not_found` for another organization's resources.
 */
@Injectable()
export class IncidentRegrouping {
  constructor(
    private readonly database: Database,
    private readonly incidents: IncidentService,
    private readonly store: IncidentStore,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
  ) {}

  /**
   * Moves endpoints to a new incident, which it returns. Updates aren't moved. But if an incident was merged into this
   * one and leaves it with all of its endpoints, its updates move with them.
   */
  split(orgId: string, id: string, { endpoint_ids }: SplitIncidentDto): Promise<IncidentDetailView> {
    const asked = endpoint_ids.flatMap((text) => parseId('endpoint', text) ?? []);
    return this.committed(async (tx) => {
      const number = await this.store.nextNumber(tx, orgId);
      const before = await this.store.lock(tx, orgId, id);
      refuseSplit(before);
      const [newId, at] = [newUuid(), this.clock.now()];
      const parting = await tx.query<{ id: string; count: number }>(PARTING, [id, asked]);
      const was = parting.find(({ count }) => count === asked.length)?.id ?? null;
      await tx.query(INSERT_SPLIT, [id, newId, number, at, was]);
      const moved = new Set((await tx.query<{ id: string }>(MOVE, [id, newId, asked])).map((row) => row.id));
      await tx.query(MOVE_OUTAGES, [id, newId, asked]);
      await failpoint('regrouping.members_moved');
      const missing = asked.findIndex((endpointId) => !moved.has(endpointId));
      if (missing >= 0)
        throw problems.referenceNotFound(`/endpoint_ids/${missing}`, 'the endpoint is not in the incident');
      if (moved.size === before.endpointCount)
        throw problems.conflict(
          'You cannot split off all endpoints of an incident. Leave at least one endpoint in it.',
        );
      if (parting.length > 0) {
        const from = parting.map((each) => each.id);
        await tx.query(TAKE_BACK, [id, from]);
        await tx.query(RETURN_UPDATES, [id, from, newId]);
        for (const each of [id, newId]) await tx.query(LAST_SAID, [each]);
      }
      const made = await this.settled(tx, { orgId, id: newId }, at);
      const left = await this.settled(tx, before, at);
      countChange(tx, orgId, ROW_BYTES);
      await recordChanges(tx, [
        { ...about(made), action: 'create', after: { split_from: formatId('incident', id), endpoint_ids } },
        {
          ...about(left),
          action: 'update',
          before: { endpoint_ids, split_into: null },
          after: { endpoint_ids: [], split_into: formatId('incident', newId) },
        },
      ]);
      await this.events.emit(new IncidentMembersMoved([before], made, asked), tx);
      await this.events.emit(new IncidentChanged(left, 'split'), tx);
      await this.events.emit(new IncidentChanged(made, 'opened'), tx);
      return this.incidents.shown(tx, made);
    });
  }

  /**
   * Moves the endpoints and updates of the other incidents into this one, which is open while one of the endpoints is
   * bad.
   */
  merge(orgId: string, id: string, { incident_ids }: MergeIncidentsDto): Promise<IncidentDetailView> {
    const asked = incident_ids.flatMap((text) => parseId('incident', text) ?? []);
    return this.committed(async (tx) => {
      await this.store.lockSequence(tx, orgId);
      const rows = new Map((await this.store.lockSome(tx, orgId, [...asked, id])).map((row) => [row.id, row]));
      const target = rows.get(id);
      if (!target) throw problems.notFound();
      const from = asked.map((each, index) => {
        const row = rows.get(each);
        if (row) return row;
        const message = 'the incident was not found in this organization';
        throw problems.referenceNotFound(`/incident_ids/${index}`, message);
      });
      refuseMerge(target, from);
      const at = this.clock.now();
      const members = await tx.query<{ id: string }>(GATHER, [id, [...asked, id]]);
      await tx.query(GATHER_OUTAGES, [id, asked]);
      await failpoint('regrouping.members_moved');
      const updates = await tx.query(MOVE_UPDATES, [asked, id]);
      await tx.query(EMPTY, [asked, id, at]);
      if (updates.length > 0) await tx.query(LAST_SAID, [id]);
      const after = await this.settled(tx, target, at);
      const merged_into = formatId('incident', id);
      await recordChanges(tx, [
        { ...about(target), action: 'update', before: { merged: [] }, after: { merged: incident_ids } },
        ...from.map((row) => {
          return { ...about(row), action: 'update' as const, before: { merged_into: null }, after: { merged_into } };
        }),
      ]);
      await this.events.emit(
        new IncidentMembersMoved(
          from,
          after,
          members.map((row) => row.id),
        ),
        tx,
      );
      for (const row of await this.store.lockSome(tx, orgId, asked))
        await this.events.emit(new IncidentChanged(row, 'merged'), tx);
      await this.events.emit(new IncidentChanged(after, 'merged'), tx);
      return this.incidents.shown(tx, after);
    });
  }

  private async committed(work: (tx: Tx) => Promise<IncidentDetailView>): Promise<IncidentDetailView> {
    const shown = await this.database.transaction(async (tx) => {
      const view = await work(tx);
      await failpoint('regrouping.before_commit');
      return view;
    });
    await failpoint('regrouping.committed');
    return shown;
  }

  /**
   * Recalculates counts and times from the members. If the last status contradicts the result, posts an automatic
   * update.
   */
  private async settled(tx: Tx, { orgId, id }: Pick<IncidentRow, 'orgId' | 'id'>, at: Date): Promise<IncidentRow> {
    await tx.query(RECOUNT, [id, at]);
    const row = await this.store.read(tx, orgId, id);
    const status = automaticStatus(row);
    if (status === null) return row;
    await this.store.addUpdate(tx, row, {
      by: null,
      personId: null,
      status,
      text: '',
      public: row.publicAt !== null,
      automatic: true,
      at,
    });
    await tx.query('UPDATE incident SET status = $2 WHERE id = $1', [id, status]);
    return { ...row, status };
  }
}

function refuseSplit(row: IncidentRow): void {
  const refusal = refusalOfMerged(row);
  if (refusal) throw refusal;
  if (row.kind === 'manual')
    throw problems.conflict('A manual incident cannot be split because it has no endpoints. Change its scope instead.');
  if (row.endedAt !== null) throw problems.conflict('The incident has ended. Only open incidents can be split.');
}

function refuseMerge(target: IncidentRow, from: readonly IncidentRow[]): void {
  if (from.includes(target)) throw problems.conflict('An incident cannot be merged with itself.');
  for (const row of [target, ...from]) {
    const refusal = refusalOfMerged(row);
    if (refusal) throw refusal;
    if (row.kind === 'manual')
      throw problems.conflict(`Incident #${row.number} is a manual incident. Only detected incidents can be merged.`);
  }
}
