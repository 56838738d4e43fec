import type { components } from './schema';

type Schemas = components['schemas'];

/**
 * The signed-in user. The organization is missing if they are in none, or are no longer a member of the session's
 * organization.
 */
export type SignedIn = Schemas['Session'];
export type Role = NonNullable<SignedIn['role']>;
/** The session of a user in an organization. */
export type Session = SignedIn & { organization: NonNullable<SignedIn['organization']>; role: Role };
export type CreatedSession = Schemas['CreatedSession'];
export type SignInMethods = Schemas['SignInMethods'];
/** A new secret for an authenticator app, with its recovery codes. */
export type SecondFactorDraft = Schemas['SecondFactorDraft'];
export type RecoveryCodes = Schemas['RecoveryCodes'];
/** The purpose of a link's token. */
export type Link = Schemas['Link'];
export type Website = Schemas['Website'];
/** The history of a website, over all its endpoints. */
export type WebsiteHistory = Schemas['WebsiteHistory'];
export type WebsiteOutage = Schemas['WebsiteOutage'];
export type Endpoint = Schemas['Endpoint'];
/** The schedule of a heartbeat, and its ping URL. */
export type Heartbeat = Schemas['EndpointHeartbeat'];
export type Ping = Schemas['Ping'];
export type HeartbeatPreview = Schemas['HeartbeatPreview'];
export type Status = Endpoint['status'];
export type Header = Schemas['Header'];
export type Assertion = Schemas['Assertion'];

export type Maintenance = Schemas['EndpointMaintenance'];
/** An acknowledgement of an endpoint: by whom, and until when. */
export type Acknowledgement = Schemas['EndpointAcknowledgement'];
export type MaintenanceWindow = Omit<Schemas['MaintenanceWindow'], 'scope'> & { scope: MaintenanceScope };
export type Occurrence = Schemas['MaintenanceOccurrence'];
/** The scope of a window: everything, or the resources in any of the lists. */
export type MaintenanceScope = Partial<Schemas['WholeScope'] & Schemas['PartialScope']>;

export type Check = Schemas['Check'];
/** A check that was not recorded, for example the test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhases'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

/** A probe: the same program at another location, which checks the endpoints that name it. */
export type Probe = Schemas['Probe'];
/** The response that creates a probe. No other response contains its token. */
export type CreatedProbe = Schemas['CreatedProbe'];
/** The response that rotates a token. No other response contains the new token. */
export type RotatedProbe = Schemas['RotatedProbe'];

export type OverviewItem = Schemas['OverviewItem'];
export type OverviewDown = Schemas['OverviewDown'];
export type Uptime = Schemas['Uptime'];
export type Outage = Schemas['Outage'];
export type LatencyBucket = Schemas['LatencyBucket'];

export type Alert = Schemas['Alert'];
/** The settings that decide when an alert triggers, resolves, and sends reminders. */
export type AlertRule = Required<Schemas['AlertDefaults']>;
/** A channel with settings that several alerts share. */
export type Contact = Schemas['Contact'];
export type AlertEvent = Schemas['AlertEvent'];
export type Delivery = Schemas['Delivery'];
/** The result of a test message. It isn't stored. */
export type DeliveryTest = Schemas['DeliveryTest'];

export type Organization = Schemas['CurrentOrganization'];
export type ApiKey = Schemas['ApiKey'];
/** The response that creates an API key. No other response contains the key. */
export type CreatedApiKey = Schemas['CreatedApiKey'];

export type Person = Schemas['Person'];
/** An open invitation to the organization. */
export type Invitation = Schemas['OpenInvitation'];
/** The response that creates an invitation. No other response contains its token. */
export type CreatedInvitation = Schemas['CreatedOpenInvitation'];
export type PasswordLink = Schemas['PasswordLink'];
/** The account of the signed-in user. */
export type Account = Schemas['Account'];
export type OwnSession = Schemas['OwnSession'];

export type AuditEntry = Schemas['AuditEntry'];
export type System = Schemas['System'];
export type PublicPage = Schemas['PublicPage'];

/** The changes that a configuration document would make, or has made. */
export type ConfigurationPlan = Schemas['ConfigurationPlan'];
/** Another program's configuration, converted to a configuration document. */
export type Conversion = Schemas['Conversion'];

/** An incident as the list returns it. */
export type Incident = Omit<Schemas['Incident'], 'scope'> & { scope: MaintenanceScope | null };
export type IncidentStatus = NonNullable<Incident['status']>;
export type IncidentMember = Schemas['IncidentEndpoint'];
export type IncidentUpdate = Schemas['IncidentUpdate'];
export type IncidentDetails = Omit<Schemas['IncidentDetail'], 'scope'> & { scope: MaintenanceScope | null };

export type IncidentChange = Omit<Schemas['IncidentChange'], 'scope'> & Pick<Incident, 'scope'>;

/** The response of `/status/<slug>/history.json`: the public updates of a month. */
export interface PublicHistory {
  incidents: { id: string; title: string; started_at: string; ended_at: string | null; endpoints: string[] }[];
}

export type Problem = Schemas['Problem'];
export type FieldProblem = Schemas['FieldProblem'];

/** A `check` event of the live stream: a result that changed the status of its endpoint. */
export type StateChange = Schemas['StateChange'];
/** A `maintenance` event of the live stream: a window starts or ends. */
export type MaintenanceChange = Schemas['MaintenanceChange'];
/** An `acknowledgement` event of the live stream. `null` means that it was withdrawn or is over. */
export type AcknowledgementChange = Schemas['AcknowledgementChange'];
export type HeartbeatChange = Schemas['HeartbeatChange'];
/** A `probe` event of the live stream: the probe started or stopped responding. */
export type ProbeChange = Schemas['ProbeChange'];
/** A `location` event of the live stream: an endpoint's result at a location changed. */
export type LocationChange = Schemas['LocationChange'];
