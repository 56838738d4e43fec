import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { TransactionEvents } from '../platform/events/transaction-events';
import { newUuid } from '../platform/ids/id';
import { failpoint } from '../platform/observability/failpoints';
import { type IncidentChange, IncidentChanged } from './incident-events';
import { type Draft, type IncidentTrigger, newDraft, placeAll } from './incident-draft';
import type { InHand } from './incident-in-hand';
import {
  type Leaving,
  lockIncidents,
  readCandidates,
  readMissing,
  saveDrafts,
  saveLeaving,
  saveMembers,
} from './incident-queries';
import type { IncidentRow } from './incident-row';
import { IncidentMetrics } from './incident.metrics';

/** An endpoint that joined an acknowledged incident, so its alerts don't trigger. */
export interface HeldMember extends InHand {
  orgId: string;
  endpointId: string;
  incidentId: string;
}

/**
 * The only code that makes endpoints join and leave incidents, in the transaction that changes their alerts. Alerts
 * don't depend on it, except for alerts of a held endpoint.
 */
@Injectable()
export class IncidentRecorder {
  constructor(
    private readonly events: TransactionEvents,
    private readonly clock: DatabaseClock,
    private readonly metrics: IncidentMetrics,
  ) {}

  /**
   * Places the triggers, calls `saveFlags` to save which alerts are triggered, and removes the endpoints in `leaving`
   * that then have no triggered alert. An endpoint may only be in each list once. The caller must have locked the state
   * and alert rows, and must not lock more of them later. Returns each endpoint's incident, for the new events. Cost:
   * no statement if there are no endpoints, 4 with triggers, and 2 with `leaving`, one of which is shared.
   */
  async record(
    tx: Tx,
    triggers: readonly IncidentTrigger[],
    leaving: readonly Leaving[],
    saveFlags: (held: ReadonlyMap<string, HeldMember>) => Promise<void>,
  ): Promise<ReadonlyMap<string, string>> {
    const orgIds = [...triggers, ...leaving].map(({ orgId }) => orgId);
    if (orgIds.length === 0) {
      await saveFlags(new Map());
      return new Map();
    }
    const endpointIds = triggers.map(({ endpointId }) => endpointId);
    const dependencies = await lockIncidents(tx, orgIds, endpointIds);
    await failpoint('incident.locked');
    const now = this.clock.now();
    const changes = new Map<string, IncidentChanged>();
    const add = (incident: IncidentRow, change: IncidentChange) =>
      changes.set(incident.id, new IncidentChanged(incident, change));
    const drafts = triggers.length > 0 ? await readCandidates(tx, triggers, now) : [];
    const placed = byOrganization(triggers).flatMap(([orgId, own]) =>
      placeAll(
        own,
        drafts.filter((draft) => draft.orgId === orgId),
        dependencies,
        now,
        newUuid,
      ),
    );
    const saved = await saveDrafts(tx, placed, now);
    await failpoint('incident.saved');
    await saveMembers(tx, placed);
    await failpoint('incident.members_saved');
    const draftOf = new Map(placed.map((draft) => [draft.id, draft]));
    for (const incident of saved) add(incident, changeOf(draftOf.get(incident.id)));
    await saveFlags(new Map(placed.flatMap((draft) => heldOf(draft).map((held) => [held.endpointId, held]))));
    await failpoint('incident.flags_saved');
    const left =
      leaving.length > 0 ? await saveLeaving(tx, leaving, now) : { incidentOf: new Map<string, string>(), changed: [] };
    await failpoint('incident.members_left');
    for (const incident of left.changed)
      add(incident, incident.endedAt ? 'ended' : (changes.get(incident.id)?.change ?? 'updated'));
    for (const change of changes.values()) await this.events.emit(change, tx);
    tx.afterCommit(() => this.count(placed));
    return new Map([...left.incidentOf, ...placed.flatMap(endpointsOf)]);
  }

  /**
   * Opens an incident for at most `limit` endpoints of these organizations that have a triggered alert and no incident.
   * Returns how many were opened.
   */
  async adopt(tx: Tx, orgIds: readonly string[], limit: number): Promise<number> {
    await lockIncidents(tx, orgIds);
    const now = this.clock.now();
    const drafts = (await readMissing(tx, orgIds, limit)).map((trigger) => newDraft(newUuid(), 0, trigger, now));
    const opened = await saveDrafts(tx, drafts, now);
    await saveMembers(tx, drafts);
    for (const incident of opened) await this.events.emit(new IncidentChanged(incident, 'opened'), tx);
    tx.afterCommit(() => this.count(drafts));
    return drafts.length;
  }

  private count(placed: readonly Draft[]): void {
    for (const { isNew, cause, joining } of placed) {
      if (isNew) this.metrics.began(cause.kind);
      for (const { rule } of joining) this.metrics.joined(rule);
    }
  }
}

function byOrganization(triggers: readonly IncidentTrigger[]): [orgId: string, own: IncidentTrigger[]][] {
  const groups = new Map<string, IncidentTrigger[]>();
  for (const trigger of inOrder(triggers)) {
    const group = groups.get(trigger.orgId);
    if (group) group.push(trigger);
    else groups.set(trigger.orgId, [trigger]);
  }
  return [...groups];
}

/** Orders the triggers by when their checks ran, as if each had arrived separately. */
const inOrder = (triggers: readonly IncidentTrigger[]): IncidentTrigger[] =>
  [...triggers].sort((a, b) => a.at.getTime() - b.at.getTime() || (a.endpointId < b.endpointId ? -1 : 1));

function changeOf(draft: Draft | undefined): IncidentChange {
  if (draft?.isNew === true) return 'opened';
  if (draft?.isReopened === true) return 'reopened';
  return draft && draft.joining.length > 0 ? 'joined' : 'updated';
}

const heldOf = ({ id, orgId, inHand, joining }: Draft): HeldMember[] =>
  inHand === null
    ? []
    : joining
        .filter(({ held }) => held)
        .map(({ trigger }) => ({ ...inHand, orgId, endpointId: trigger.endpointId, incidentId: id }));

const endpointsOf = ({ id, joining, triggering }: Draft): [endpointId: string, incidentId: string][] => [
  ...joining.map(({ trigger }): [string, string] => [trigger.endpointId, id]),
  ...triggering.map(({ endpointId }): [string, string] => [endpointId, id]),
];
