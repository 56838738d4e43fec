// The API's resources as the dashboard reads them. Clients ignore fields they do not know, so only the used ones are named.

export type Role = 'read' | 'write' | 'admin';
export type Status = 'up' | 'down' | 'unknown' | 'paused';
export type Outcome = 'up' | 'down' | 'unknown';

export interface Session {
  organization: { id: string; name: string };
  key_name: string;
  role: Role;
  /** Whether the organization is the one that runs this installation. */
  is_default: boolean;
}

export interface Website {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  endpoint_count: number;
  last_checked_at: string | null;
  status: Status;
}

export interface Header {
  key: string;
  value: string;
}

export interface Assertion {
  source: string;
  property?: string;
  comparison: string;
  target: string;
}

export interface Endpoint {
  id: string;
  website_id: string;
  name: string;
  url: string;
  type: string;
  method: string;
  interval: number;
  timeout: number;
  enabled: boolean;
  group: string;
  headers: Header[];
  body: string | null;
  assertions: Assertion[];
  follow_redirects: boolean;
  status: Status;
  last_checked_at: string | null;
  created_at: string;
}

export interface CheckError {
  code: string;
  phase: string;
  message: string;
}

export interface Phases {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  transfer_ms: number | null;
}

export interface Certificate {
  expires_at: string;
  issuer: string;
  subject: string;
  names: string[];
}

export interface Check {
  id: string;
  endpoint_id: string;
  outcome: Outcome;
  checked_at: string;
  duration_ms: number;
  phases: Phases;
  status_code: number | null;
  address: string | null;
  certificate: Certificate | null;
  records: string[] | null;
  error: CheckError | null;
  attempts: number;
  first_error: CheckError | null;
}

/** One endpoint of the overview. Ratios are between 0 and 1, `null` without a known check. */
export interface OverviewItem {
  id: string;
  name: string;
  url: string;
  type: string;
  website: { id: string; name: string };
  status: Status;
  status_since: string | null;
  last_checked_at: string | null;
  last_error: string | null;
  uptime_24h: number | null;
  uptime_7d: number | null;
  uptime_30d: number | null;
  uptime_90d: number | null;
  p95_ms: number | null;
  /** Oldest first, at most 30. */
  recent: Outcome[];
  certificate_expires_at: string | null;
  alert_open: boolean;
}

export interface Uptime {
  uptime: number | null;
  coverage: number | null;
  checks: number;
  failures: number;
  unknown: number;
  outages: Outage[];
  latency: { avg: number | null; p50: number | null; p95: number | null; p99: number | null; max: number | null };
}

export interface Outage {
  started_at: string;
  ended_at: string | null;
  duration_seconds: number | null;
  error: { code: string; message: string } | null;
}

export interface LatencyBucket {
  start: string;
  count: number;
  failures: number;
  unknown: number;
  avg: number | null;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  phases: Phases | null;
}

export interface Alert {
  id: string;
  endpoint_id: string;
  type: string;
  enabled: boolean;
  config: Record<string, unknown>;
  failure_threshold: number;
  success_threshold: number;
  send_on_resolved: boolean;
  description: string;
  triggered: boolean;
  created_at: string;
}

export interface AlertEvent {
  id: string;
  type: 'triggered' | 'resolved';
  alert_id: string;
  alert_type: string;
  endpoint_id: string;
  endpoint_name: string;
  website_id: string;
  website_name: string;
  reason: string;
  message: string;
  error: { code: string; message: string } | null;
  failure_count: number;
  success_count: number;
  started_at: string | null;
  duration_seconds: number | null;
  created_at: string;
}

export interface Delivery {
  id: string;
  event_id: string | null;
  kind: 'triggered' | 'resolved' | 'test';
  state: 'pending' | 'delivered' | 'failed' | 'superseded';
  attempts: number;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  response_status: number | null;
  error: string | null;
}

/** A check outcome that changed the state of its endpoint, as told by the live stream. */
export interface StateChange {
  id: string;
  endpoint_id: string;
  endpoint_name: string;
  website_id: string;
  status: Outcome;
  previous_status: Outcome;
  checked_at: string;
  duration_ms: number | null;
  status_code: number | null;
  error: { code: string } | null;
}

export interface ApiKey {
  id: string;
  name: string;
  role: Role;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  /** Only in the answer that creates it. */
  key?: string;
}

export interface SystemFacts {
  version: string;
  role: string;
  started_at: string;
  database: { kind: string; version: string; size_bytes: number };
  scheduler: { active_endpoints: number; lag_ms: number };
  outbox: { pending: number; oldest_pending_age_seconds: number | null; failed: number };
  retention: { raw_days: number; rollup_days: number };
  memory_bytes: number;
}

export interface StatusPageSettings {
  enabled: boolean;
  slug: string | null;
  path: string | null;
}

export interface FieldProblem {
  pointer: string;
  code: string;
  message: string;
}
