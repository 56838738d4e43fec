import type { IncidentRow } from './incident-row';

/** What of an incident its summary says. */
export type Summarized = Pick<
  IncidentRow,
  | 'kind'
  | 'severity'
  | 'cause'
  | 'causeValue'
  | 'causeName'
  | 'openerName'
  | 'openerErrorCode'
  | 'endpointCount'
  | 'endedAt'
  | 'mergedInto'
>;

const words = (code: string | null): string => (code === null ? '' : `: ${code.replaceAll('_', ' ')}`);

/** Where the endpoints are, as far as that is what they have in common. */
function placeOf({ cause, causeValue, causeName }: Summarized): string {
  if (cause === 'address' && causeValue !== null) return ` at ${causeValue}`;
  if (cause === 'website' && causeName !== null) return ` of ${causeName}`;
  if (cause === 'dependency' && causeName !== null) return ` at or behind ${causeName}`;
  return '';
}

/**
 * The machine's sentence, for the organization only: of one endpoint its name and error, of several how many and what they have
 * in common. `null` of one by hand: it has a title.
 */
export function summaryOf(incident: Summarized): string | null {
  const { kind, severity, endpointCount, openerName, openerErrorCode, endedAt, mergedInto } = incident;
  if (kind === 'manual') return null;
  if (mergedInto !== null) return 'Merged into another incident';
  const state = severity === 'degraded' ? 'degraded' : 'down';
  // Several may have failed with different errors; what they have in common at an address is that of the first.
  const error = endpointCount === 1 || incident.cause === 'address' ? words(openerErrorCode) : '';
  if (endpointCount === 1) return `${openerName ?? 'One endpoint'} ${endedAt === null ? 'is' : 'was'} ${state}${error}`;
  const count = endpointCount === 0 ? 'No endpoints' : `${endpointCount} endpoints`;
  return `${count}${placeOf(incident)} ${endedAt === null ? 'are' : 'were'} ${state}${error}`;
}
