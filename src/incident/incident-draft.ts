import type { InHand } from './incident-in-hand';
import type { IncidentCause, IncidentSeverity } from './incident-row';
import { type Candidate, type Parent, placeOf, type PlaceRule, type Trigger } from './place-of';

/** A trigger with the data that its incident stores. */
export interface IncidentTrigger extends Trigger {
  orgId: string;
  errorMessage: string | null;
  /** When the first failed or degraded check ran. */
  startedAt: Date;
  /** When the check that triggered the alert ran. */
  at: Date;
}

export interface Cause {
  kind: IncidentCause;
  value: string | null;
  name: string | null;
}

/**
 * An endpoint that joins an incident, and the rule by which it joins. `held`: the incident is acknowledged, so the
 * endpoint's alerts don't trigger.
 */
export interface Joining {
  trigger: IncidentTrigger;
  rule: Exclude<PlaceRule, 'member'>;
  held: boolean;
}

/** An incident while a batch is being placed: its state in the database, and what the batch adds. */
export interface Draft extends Candidate {
  id: string;
  orgId: string;
  isNew: boolean;
  severity: IncidentSeverity;
  startedAt: Date;
  joinedAt: Date;
  endedAt: Date | null;
  cause: Cause;
  inHand: InHand | null;
  members: Set<string>;
  left: Map<string, Date>;
  related: Map<string, Parent>;
  /** Open members whose alerts trigger, so they are no longer held. */
  triggering: IncidentTrigger[];
  joining: Joining[];
  isReopened: boolean;
  isWorse: boolean;
}

/** A dependency: `endpointId` depends on `parentId`, and both have triggers in the batch. */
export interface Dependency {
  endpointId: string;
  parentId: string;
}

/** Returns the incident that this trigger opens. */
export const newDraft = (id: string, number: number, trigger: IncidentTrigger, now: Date): Draft => ({
  id,
  orgId: trigger.orgId,
  number,
  isNew: true,
  severity: trigger.severity,
  opener: trigger,
  startedAt: trigger.startedAt,
  openedAt: now,
  joinedAt: now,
  endedAt: null,
  cause: { kind: 'single', value: null, name: null },
  inHand: null,
  members: new Set([trigger.endpointId]),
  left: new Map(),
  related: new Map(),
  triggering: [],
  joining: [{ trigger, rule: 'new', held: false }],
  isReopened: false,
  isWorse: false,
});

/**
 * Places one organization's triggers one after the other. Each sees the result of the previous ones. Modifies and
 * returns `drafts`, with new ones at the end. `newId` returns a UUID.
 */
export function placeAll(
  triggers: readonly IncidentTrigger[],
  drafts: Draft[],
  dependencies: readonly Dependency[],
  now: Date,
  newId: () => string,
): Draft[] {
  const names = new Map(triggers.map(({ endpointId, endpointName }) => [endpointId, endpointName]));
  // The database assigns the real numbers. Here, they only need to be higher than all existing ones.
  let number = drafts.reduce((last, draft) => Math.max(last, draft.number), 0);
  for (const trigger of triggers) {
    const { rule, incident, parent } = placeOf(trigger, drafts, now);
    const draft = incident ?? newDraft(newId(), ++number, trigger, now);
    if (incident === null) drafts.push(draft);
    else if (rule === 'member') draft.triggering.push(trigger);
    else if (rule !== 'new') join(draft, trigger, rule, parent, now);
    if (trigger.severity === 'down' && draft.severity === 'degraded') {
      draft.severity = 'down';
      draft.isWorse = true;
    }
    for (const { endpointId, parentId } of dependencies) {
      const parentOfBoth = { id: parentId, name: names.get(parentId) ?? '' };
      if (endpointId === trigger.endpointId) draft.related.set(parentId, parentOfBoth);
      if (parentId === trigger.endpointId) draft.related.set(endpointId, parentOfBoth);
    }
  }
  return drafts;
}

function join(
  draft: Draft,
  trigger: IncidentTrigger,
  rule: Joining['rule'] & ('again' | IncidentCause),
  parent: Parent | null,
  now: Date,
): void {
  const held = isInHand(draft.inHand, trigger.at) && (rule === 'dependency' || rule === 'address');
  draft.members.add(trigger.endpointId);
  draft.joining.push({ trigger, rule, held });
  draft.joinedAt = now;
  if (trigger.startedAt < draft.startedAt) draft.startedAt = trigger.startedAt;
  if (draft.endedAt !== null) draft.isReopened = true;
  draft.endedAt = null;
  if (rule !== 'again' && draft.cause.kind === 'single') draft.cause = causeOf(rule, trigger, parent);
}

const isInHand = (inHand: InHand | null, at: Date): boolean =>
  inHand !== null && (inHand.until === null || at < inHand.until);

function causeOf(kind: IncidentCause, trigger: IncidentTrigger, parent: Parent | null): Cause {
  if (kind === 'dependency') return { kind, value: parent?.id ?? null, name: parent?.name ?? null };
  if (kind === 'website') return { kind, value: trigger.websiteId, name: trigger.websiteName };
  return { kind, value: kind === 'address' ? trigger.address : null, name: null };
}
