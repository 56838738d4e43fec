// The API's resources under the names the dashboard uses, from the schema the service publishes.
import type { components } from './schema';

type Schemas = components['schemas'];

/** Who is signed in; without an organization: a person who is in none, or not any more in that of the session. */
export type SignedIn = Schemas['Session'];
export type Role = NonNullable<SignedIn['role']>;
/** Who is signed in, in an organization. */
export type Session = SignedIn & { organization: NonNullable<SignedIn['organization']>; role: Role };
export type CreatedSession = Schemas['CreatedSession'];
/** How one gets in. */
export type SignInMethods = Schemas['SignInMethods'];
/** A secret for an authenticator app, and the codes in place of it. */
export type SecondFactorDraft = Schemas['SecondFactorDraft'];
export type RecoveryCodes = Schemas['RecoveryCodes'];
/** What the token of a link is for. */
export type Link = Schemas['Link'];
export type Website = Schemas['Website'];
/** How all endpoints of a website were. */
export type WebsiteHistory = Schemas['WebsiteHistory'];
export type WebsiteOutage = Schemas['WebsiteOutage'];
export type Endpoint = Schemas['Endpoint'];
/** When a ping is expected, and where to send it. */
export type Heartbeat = Schemas['EndpointHeartbeat'];
export type Ping = Schemas['Ping'];
export type HeartbeatPreview = Schemas['HeartbeatPreview'];
export type Status = Endpoint['status'];
export type Header = Schemas['Header'];
export type Assertion = Schemas['Assertion'];

/** The maintenance window that an endpoint is in. */
export type Maintenance = Schemas['EndpointMaintenance'];
/** Who has an endpoint in hand. */
export type Acknowledgement = Schemas['EndpointAcknowledgement'];
export type MaintenanceWindow = Omit<Schemas['MaintenanceWindow'], 'scope'> & { scope: MaintenanceScope };
export type Occurrence = Schemas['MaintenanceOccurrence'];
/** What a window covers: everything, or all that any of the lists names. */
export type MaintenanceScope = Partial<Schemas['WholeScope'] & Schemas['PartialScope']>;

export type Check = Schemas['Check'];
/** A check that was not recorded: the test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhases'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

/** The same program at another place, which checks endpoints that name it. */
export type Probe = Schemas['Probe'];
/** The only response of creation that holds the token. */
export type CreatedProbe = Schemas['CreatedProbe'];
/** The only response that holds the next token. */
export type RotatedProbe = Schemas['RotatedProbe'];

export type OverviewItem = Schemas['OverviewItem'];
export type OverviewDown = Schemas['OverviewDown'];
export type Uptime = Schemas['Uptime'];
export type Outage = Schemas['Outage'];
export type LatencyBucket = Schemas['LatencyBucket'];

export type Alert = Schemas['Alert'];
/** What decides when an alert triggers, resolves and reminds. */
export type AlertRule = Required<Schemas['AlertDefaults']>;
/** A channel that many alerts notify through. */
export type Contact = Schemas['Contact'];
export type AlertEvent = Schemas['AlertEvent'];
export type Delivery = Schemas['Delivery'];
/** What became of a test that nothing stores. */
export type DeliveryTest = Schemas['DeliveryTest'];

export type Organization = Schemas['CurrentOrganization'];
export type ApiKey = Schemas['ApiKey'];
/** The only response that holds the key itself. */
export type CreatedApiKey = Schemas['CreatedApiKey'];

/** A member of the organization. */
export type Person = Schemas['Person'];
/** Somebody who may join. */
export type Invitation = Schemas['OpenInvitation'];
/** The only response that holds the token of an invitation. */
export type CreatedInvitation = Schemas['CreatedOpenInvitation'];
export type PasswordLink = Schemas['PasswordLink'];
/** What is stored about oneself. */
export type Account = Schemas['Account'];
export type OwnSession = Schemas['OwnSession'];

export type AuditEntry = Schemas['AuditEntry'];
export type System = Schemas['System'];
export type PublicPage = Schemas['PublicPage'];

/** What a configuration document would change, or has changed. */
export type ConfigurationPlan = Schemas['ConfigurationPlan'];
/** A file of another program as a configuration document. */
export type Conversion = Schemas['Conversion'];

/** Endpoints that went down together, as the list has them. */
export type Incident = Omit<Schemas['Incident'], 'scope'> & { scope: MaintenanceScope | null };
export type IncidentStatus = NonNullable<Incident['status']>;
export type IncidentMember = Schemas['IncidentEndpoint'];
export type IncidentUpdate = Schemas['IncidentUpdate'];
export type IncidentDetails = Omit<Schemas['IncidentDetail'], 'scope'> & { scope: MaintenanceScope | null };

/** An `incident` event of the live stream. */
export type IncidentChange = Omit<Schemas['IncidentChange'], 'scope'> & Pick<Incident, 'scope'>;

/** `/status/<slug>/history.json`: what was told of a month. */
export interface PublicHistory {
  incidents: { id: string; title: string; started_at: string; ended_at: string | null; endpoints: string[] }[];
}

export type Problem = Schemas['Problem'];
export type FieldProblem = Schemas['FieldProblem'];

/** A `check` event of the live stream: an outcome that changed the status of its endpoint. */
export type StateChange = Schemas['StateChange'];
/** A `maintenance` event: a window begins or ends. */
export type MaintenanceChange = Schemas['MaintenanceChange'];
/** An `acknowledgement` event; `null`: it was withdrawn, or is over. */
export type AcknowledgementChange = Schemas['AcknowledgementChange'];
export type HeartbeatChange = Schemas['HeartbeatChange'];
/** A `probe` event: it is heard again, or no more. */
export type ProbeChange = Schemas['ProbeChange'];
/** A `location` event: a location of an endpoint sees something else. */
export type LocationChange = Schemas['LocationChange'];
