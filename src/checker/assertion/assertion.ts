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

/** One condition of an endpoint; all must hold. */
export interface Assertion {
  source: AssertionSource;
  /** `header`: its name. `json`: a JSONPath (RFC 9535). Absent for the other sources. */
  property?: string;
  comparison: AssertionComparison;
  /** Text form of the value compared with; `status_code` takes lists and ranges ("200-299,301"). */
  target: string;
}
