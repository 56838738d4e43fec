/** The parts of a result that an assertion can test. */
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

/**
 * The effect of a failed assertion. If it is `critical`, the target is down. If it is a `warning`, the target is up but
 * degraded.
 */
export const ASSERTION_SEVERITIES = ['critical', 'warning'] as const;
export type AssertionSeverity = (typeof ASSERTION_SEVERITIES)[number];

/** A condition that a check result must meet. All assertions of an endpoint must hold. */
export interface Assertion {
  source: AssertionSource;
  /** The header name for `header`, or a JSONPath (RFC 9535) for `json`. Absent for the other sources. */
  property?: string;
  comparison: AssertionComparison;
  /** The expected value as a string. `status_code` takes lists and ranges ("200-299,301"). */
  target: string;
  /** Absent means `critical`. Stored only if it is `warning`, so that equal assertions compare equal. */
  severity?: AssertionSeverity;
}

export const severityOf = ({ severity }: Assertion): AssertionSeverity => severity ?? 'critical';

/** Returns true if the target is down when the assertion fails. */
export const isCritical = (assertion: Assertion): boolean => severityOf(assertion) === 'critical';
