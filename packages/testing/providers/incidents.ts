/** The effect of one accepted request on a paging provider. */
export interface PagerAction {
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

/** An incident at a paging provider, from a key's trigger to its resolve. */
export interface PagedIncident {
  /** PagerDuty's `dedup_key` or Opsgenie's `alias`. */
  key: string;
  state: 'open' | 'acknowledged' | 'resolved';
  /**
   * The number of triggers. A repeated trigger updates the open incident with the same key instead of opening a new
   * one.
   */
  triggers: number;
}

/**
 * Returns the incidents that result from accepted requests, oldest first. A trigger opens an incident unless its key
 * already has an open one. An acknowledgement or resolve without an open incident is dropped, as both vendors do.
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
