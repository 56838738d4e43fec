/** What an assertion looks at. */
export const ASSERTION_SOURCES = [
  'status_code',
  'response_time',
  'header',
  'body',
  'json',
  'certificate_days',
  'dns_record',
  'banner',
] as const;
export type AssertionSource = (typeof ASSERTION_SOURCES)[number];

export const ASSERTION_COMPARISONS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'less_than',
  'greater_than',
  'in',
  'exists',
] as const;
export type AssertionComparison = (typeof ASSERTION_COMPARISONS)[number];

/** What a failed assertion makes of a target: `critical` that it is down, `warning` that it is up and degraded. */
export const ASSERTION_SEVERITIES = ['critical', 'warning'] as const;
export type AssertionSeverity = (typeof ASSERTION_SEVERITIES)[number];

/** One condition of an endpoint; all must hold. */
export interface Assertion {
  source: AssertionSource;
  /** `header`: its name. `json`: a JSONPath (RFC 9535). Absent for the other sources. */
  property?: string;
  comparison: AssertionComparison;
  /** Text form of the value compared with; `status_code` takes lists and ranges ("200-299,301"). */
  target: string;
  /** Absent: `critical`. Stored only when it is `warning`, so that equal assertions compare equal. */
  severity?: AssertionSeverity;
}

/** What an assertion's failure means. */
export const severityOf = ({ severity }: Assertion): AssertionSeverity => severity ?? 'critical';

/** True when the target is down unless it holds. */
export const isCritical = (assertion: Assertion): boolean => severityOf(assertion) === 'critical';
