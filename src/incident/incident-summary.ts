import type { IncidentRow } from './incident-row';

/** The incident fields that its summary uses. */
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

/** Returns what the endpoints have in common, if that is a place. */
function placeOf({ cause, causeValue, causeName }: Summarized): string {
  if (cause === 'address' && causeValue !== null) return ` at ${causeValue}`;
  if (cause === 'website' && causeName !== null) return ` of ${causeName}`;
  if (cause === 'dependency' && causeName !== null) return ` at or behind ${causeName}`;
  return '';
}

/**
 * Returns the automatic summary, which only the organization sees. For one endpoint, it contains the name and error.
 * For several, it contains the number and what they have in common. Returns `null` for a manual incident, which has a
 * title.
 */
export function summaryOf(incident: Summarized): string | null {
  const { kind, severity, endpointCount, openerName, openerErrorCode, endedAt, mergedInto } = incident;
  if (kind === 'manual') return null;
  if (mergedInto !== null) return 'Merged into another incident';
  const state = severity === 'degraded' ? 'degraded' : 'down';
  // Several endpoints may have failed with different errors. At a common address, the first one's error represents all.
  const error = endpointCount === 1 || incident.cause === 'address' ? words(openerErrorCode) : '';
  if (endpointCount === 1) return `${openerName ?? 'One endpoint'} ${endedAt === null ? 'is' : 'was'} ${state}${error}`;
  const count = endpointCount === 0 ? 'No endpoints' : `${endpointCount} endpoints`;
  return `${count}${placeOf(incident)} ${endedAt === null ? 'are' : 'were'} ${state}${error}`;
}
