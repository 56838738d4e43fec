// The API's resources under the names the dashboard uses, from the schema the service publishes.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type Role = Session['role'];
export type Website = Schemas['Website'] & Partial<Tagged>;
export type Endpoint = Schemas['Endpoint'] & Partial<Tagged & Quiet & { depends_on: string[] }>;
export type Status = Endpoint['status'];
export type Header = Schemas['Header'];
export type Assertion = Schemas['Assertion'] & { severity?: 'critical' | 'warning' };

interface Tagged {
  tags: string[];
}
/** Why nobody is woken, and whether a warning fails. */
interface Quiet {
  degraded: boolean;
  maintenance: Maintenance | null;
  acknowledgement: Acknowledgement | null;
}
export interface Maintenance {
  id: string;
  name: string;
  until: string;
  mute: boolean;
  exclude_from_uptime: boolean;
}
export interface Acknowledgement {
  by: string | null;
  at: string;
  note: string;
  until: string | null;
}
export interface Occurrence {
  starts_at: string;
  ends_at: string;
}
export interface MaintenanceScope {
  all?: boolean;
  website_ids?: string[];
  endpoint_ids?: string[];
  tags?: string[];
}
export interface MaintenanceWindow {
  id: string;
  name: string;
  description: string;
  scope: MaintenanceScope;
  starts_at: string | null;
  ends_at: string | null;
  cron: string | null;
  timezone: string | null;
  duration: number | null;
  mute: boolean;
  exclude_from_uptime: boolean;
  public: boolean;
  status: 'scheduled' | 'active' | 'ended';
  active_until: string | null;
  next: Occurrence[];
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

export type Check = Schemas['Check'] &
  Partial<{ planned: boolean; degraded: boolean; warning: { code: string; phase: string; message: string } | null }>;
/** A check that was not recorded: the test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhases'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

export type OverviewItem = Omit<Schemas['OverviewItem'], 'recent'> & {
  recent: (Outcome | 'degraded')[];
} & Partial<Tagged & Quiet>;
export type Uptime = Omit<Schemas['Uptime'], 'outages'> & { outages: Outage[] } & Partial<{
    planned: number;
    planned_seconds: number;
    degraded: number;
  }>;
export type Outage = Schemas['Outage'] & Partial<{ planned: boolean }>;
export type LatencyBucket = Schemas['LatencyBucket'];

export type Alert = Schemas['Alert'] & Partial<{ condition: 'down' | 'degraded' }>;
export type AlertEvent = Schemas['AlertEvent'];
export type Delivery = Schemas['Delivery'];
/** What became of a test that nothing stores. */
export type DeliveryTest = Schemas['DeliveryTest'];

export type Organization = Schemas['CurrentOrganization'];
export type ApiKey = Schemas['ApiKey'];
/** The only response that holds the key itself. */
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type AuditEntry = Schemas['AuditEntry'];
export type System = Schemas['System'];
export type PublicPage = Schemas['PublicPage'];

export type Problem = Schemas['Problem'];
export type FieldProblem = Schemas['FieldProblem'];

/** A `check` event of the live stream: an outcome that changed the status of its endpoint. */
export type StateChange = Schemas['StateChange'];
/** A `maintenance` event of the live stream: a window begins or ends. */
export interface MaintenanceChange {
  window_id: string;
  name: string;
  state: 'started' | 'ended';
  until: string | null;
}
/** An `acknowledgement` event of the live stream; `null`: it was withdrawn, or is over. */
export interface AcknowledgementChange {
  endpoint_id: string;
  acknowledgement: Acknowledgement | null;
}
