// The API's resources under the names the dashboard uses, from the schema the service publishes.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type Role = Session['role'];
export type Website = Schemas['Website'];
export type Endpoint = Schemas['Endpoint'];
export type Status = Endpoint['status'];
export type Header = Schemas['Header'];
export type Assertion = Schemas['Assertion'];

export type Check = Schemas['Check'];
/** A check that was not recorded: the test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhases'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

export type OverviewItem = Schemas['OverviewItem'];
export type Uptime = Schemas['Uptime'];
export type Outage = Schemas['Outage'];
export type LatencyBucket = Schemas['LatencyBucket'];

export type Alert = Schemas['Alert'];
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
