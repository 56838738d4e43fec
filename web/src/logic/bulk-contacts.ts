import type { Alert, Contact } from '../api/types';
import { count } from './format';

type Rule = Pick<Alert, 'id' | 'endpoint_id' | 'contact_id'>;

/** Whether a contact has an alert rule on all, some, or none of the selected endpoints. */
export type Share = 'all' | 'some' | 'none';

/** A contact and how many of the selected endpoints notify it. */
export interface ContactShare {
  contact: Pick<Contact, 'id' | 'name'>;
  endpoints: number;
  share: Share;
}

/** Returns how many of the endpoints have an alert rule for each contact. */
export function sharesOf(
  contacts: readonly Pick<Contact, 'id' | 'name'>[],
  rules: readonly Rule[],
  endpointIds: readonly string[],
): ContactShare[] {
  const selected = new Set(endpointIds);
  return contacts.map((contact) => {
    const having = new Set(
      rules.flatMap(({ endpoint_id, contact_id }) =>
        contact_id === contact.id && selected.has(endpoint_id) ? [endpoint_id] : [],
      ),
    ).size;
    return { contact, endpoints: having, share: having === 0 ? 'none' : having === selected.size ? 'all' : 'some' };
  });
}

/** What the user chose: contacts that all or none of the endpoints should have, and a contact to replace. */
export interface Wanted {
  contacts: Readonly<Record<string, boolean>>;
  replace: { from: string; to: string } | null;
}

/** The requests to send. */
export interface ContactPlan {
  /** The endpoints that get an alert rule, by contact. */
  add: { contactId: string; endpointIds: string[] }[];
  /** Alert rules that are deleted, and those that get another contact, by endpoint. */
  changes: Map<string, { remove: string[]; move: { id: string; to: string }[] }>;
}

/**
 * Returns the requests that change the contacts of these endpoints. If an endpoint already has the new contact, the rule
 * of the replaced one is deleted, so that no one is notified twice.
 */
export function contactPlan(rules: readonly Rule[], endpointIds: readonly string[], wanted: Wanted): ContactPlan {
  const { replace } = wanted;
  const plan: ContactPlan = { add: [], changes: new Map() };
  for (const [contactId, isWanted] of Object.entries(wanted.contacts)) {
    if (!isWanted) continue;
    const having = new Set(rules.flatMap((rule) => (rule.contact_id === contactId ? [rule.endpoint_id] : [])));
    const lacking = endpointIds.filter(
      (id) => !having.has(id) && !(replace?.to === contactId && has(rules, id, replace.from)),
    );
    if (lacking.length > 0) plan.add.push({ contactId, endpointIds: lacking });
  }
  for (const endpointId of endpointIds) {
    const own = rules.filter((rule) => rule.endpoint_id === endpointId && rule.contact_id !== null);
    const remove: string[] = [];
    const move: { id: string; to: string }[] = [];
    let hasNew = replace !== null && own.some(({ contact_id }) => contact_id === replace.to);
    for (const { id, contact_id: contactId } of own) {
      if (replace && contactId === replace.from) {
        if (hasNew) remove.push(id);
        else move.push({ id, to: replace.to });
        hasNew = true;
      } else if (wanted.contacts[contactId ?? ''] === false) remove.push(id);
    }
    if (remove.length + move.length > 0) plan.changes.set(endpointId, { remove, move });
  }
  return plan;
}

const has = (rules: readonly Rule[], endpointId: string, contactId: string): boolean =>
  rules.some((rule) => rule.endpoint_id === endpointId && rule.contact_id === contactId);

/** Returns what the plan does: `Adds 3 alert rules, replaces 12, and deletes 5.` */
export function planText({ add, changes }: ContactPlan): string {
  const added = add.reduce((sum, { endpointIds }) => sum + endpointIds.length, 0);
  const [moved, removed] = [...changes.values()].reduce(
    ([moves, removes], { move, remove }) => [moves + move.length, removes + remove.length],
    [0, 0],
  );
  const parts = [
    ...(added > 0 ? [`adds ${count(added, 'alert rule')}`] : []),
    ...(moved > 0 ? [`replaces the contact of ${count(moved, 'alert rule')}`] : []),
    ...(removed > 0 ? [`deletes ${count(removed, 'alert rule')}`] : []),
  ];
  if (parts.length === 0) return 'Nothing changes.';
  const text = parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  return `This ${text}.`;
}
