// The API's resources under the names the dashboard uses. All but the last come from the schema the service publishes.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Session = Schemas['SessionView'];
export type Role = Session['role'];
export type Website = Schemas['WebsiteView'];
export type Endpoint = Schemas['EndpointView'];
export type Status = Endpoint['status'];
export type Header = Schemas['HeaderDto'];
export type Assertion = Schemas['AssertionDto'];

export type Check = Schemas['CheckView'];
/** A check that was not recorded: the test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhasesView'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

export type OverviewItem = Schemas['OverviewItemView'];
export type Uptime = Schemas['UptimeView'];
export type Outage = Schemas['OutageView'];
export type LatencyBucket = Schemas['LatencyBucketView'];

export type Alert = Schemas['AlertView'];
export type AlertEvent = Schemas['AlertEventView'];
export type Delivery = Schemas['DeliveryView'];

export type Organization = Schemas['CurrentOrganizationView'];
export type ApiKey = Schemas['ApiKeyView'];
/** The only response that holds the key itself. */
export type CreatedApiKey = Schemas['CreatedApiKeyView'];
export type System = Schemas['SystemView'];
export type StatusPageSettings = Schemas['StatusPageView'];

export type Problem = Schemas['ProblemView'];
export type FieldProblem = Schemas['FieldProblemView'];

/** A `check` event of the live stream: an outcome that changed the status of its endpoint. OpenAPI 3.0 cannot describe it. */
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
  error: { code: CheckErrorCode } | null;
}
