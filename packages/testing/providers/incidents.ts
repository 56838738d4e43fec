/** What a paging provider did with one accepted request. */
export interface PagerAction {
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

/** An incident as a paging provider sees it: from the trigger of a key to its resolve. */
export interface PagedIncident {
  /** `dedup_key` of PagerDuty, `alias` of Opsgenie. */
  key: string;
  state: 'open' | 'acknowledged' | 'resolved';
  /** How often it was triggered: a repeat adds to the open incident of its key and opens none. */
  triggers: number;
}

/**
 * The incidents that follow from accepted requests, oldest first. A trigger whose key has no open incident opens one; an
 * acknowledgement or a resolve for such a key is dropped, as both vendors do.
 */
export function incidentsOf(actions: readonly PagerAction[]): PagedIncident[] {
  const incidents: PagedIncident[] = [];
  for (const { key, action } of actions) {
    const open = incidents.find((incident) => incident.key === key && incident.state !== 'resolved');
    if (action === 'trigger' && !open) incidents.push({ key, state: 'open', triggers: 1 });
    else if (action === 'trigger' && open) open.triggers += 1;
    else if (open) open.state = action === 'resolve' ? 'resolved' : 'acknowledged';
  }
  return incidents;
}
