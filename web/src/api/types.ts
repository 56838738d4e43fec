import type { components } from './schema';

type Schemas = components['schemas'];

/**
 * The signed-in user. The organization is missing if they don't belong to any, or are no longer a member of the
 * session's organization.
 */
export type SignedIn = Schemas['Session'];
export type Role = NonNullable<SignedIn['role']>;
/** A user's session in an organization. */
export type Session = SignedIn & { organization: NonNullable<SignedIn['organization']>; role: Role };
export type CreatedSession = Schemas['CreatedSession'];
export type SignInMethods = Schemas['SignInMethods'];
/** A new authenticator app secret with its recovery codes. */
export type SecondFactorDraft = Schemas['SecondFactorDraft'];
export type RecoveryCodes = Schemas['RecoveryCodes'];
/** The purpose of the token in a link. */
export type Link = Schemas['Link'];
export type Website = Schemas['Website'];
/** A website's history across all its endpoints. */
export type WebsiteHistory = Schemas['WebsiteHistory'];
export type WebsiteOutage = Schemas['WebsiteOutage'];
export type Endpoint = Schemas['Endpoint'];
/** A heartbeat's schedule and ping URL. */
export type Heartbeat = Schemas['EndpointHeartbeat'];
export type Ping = Schemas['Ping'];
export type HeartbeatPreview = Schemas['HeartbeatPreview'];
export type Status = Endpoint['status'];
export type Header = Schemas['Header'];
export type Assertion = Schemas['Assertion'];

export type Maintenance = Schemas['EndpointMaintenance'];
/** An endpoint acknowledgement: who acknowledged it and until when. */
export type Acknowledgement = Schemas['EndpointAcknowledgement'];
export type MaintenanceWindow = Omit<Schemas['MaintenanceWindow'], 'scope'> & { scope: MaintenanceScope };
export type Occurrence = Schemas['MaintenanceOccurrence'];
/** The scope of a window: everything, or the resources in any of the lists. */
export type MaintenanceScope = Partial<Schemas['WholeScope'] & Schemas['PartialScope']>;

export type Check = Schemas['Check'];
/** A check that wasn't recorded, such as a test of an endpoint that may not exist yet. */
export type UnrecordedCheck = Omit<Check, 'id' | 'endpoint_id'>;
export type Outcome = Check['outcome'];
export type Phases = Schemas['CheckPhases'];
export type CheckErrorCode = Schemas['CheckErrorCode'];

/** A probe: the same program running at another location. It checks the endpoints that list its location. */
export type Probe = Schemas['Probe'];
/** The response to creating a probe. No other response contains its token. */
export type CreatedProbe = Schemas['CreatedProbe'];
/** The response to rotating a token. No other response contains the new token. */
export type RotatedProbe = Schemas['RotatedProbe'];

/** The uptime of endpoints in a month, and a link through which anyone can read one. */
export type UptimeReport = Schemas['UptimeReport'];
export type ReportLink = Schemas['ReportLink'];
/** The response to creating a link. No other response contains its token. */
export type CreatedReportLink = Schemas['CreatedReportLink'];

export type OverviewItem = Schemas['OverviewItem'];
export type OverviewDown = Schemas['OverviewDown'];
export type Uptime = Schemas['Uptime'];
export type Outage = Schemas['Outage'];
export type LatencyBucket = Schemas['LatencyBucket'];

/** An endpoint that was deleted in the last seven days. */
export type DeletedEndpoint = Schemas['DeletedEndpoint'];

export type Alert = Schemas['Alert'];
/** The settings that determine when an alert triggers, resolves, and sends reminders. */
export type AlertRule = Required<Schemas['AlertDefaults']>;
/** A channel whose settings are shared by several alerts. */
export type Contact = Schemas['Contact'];
export type ContactPreview = Schemas['ContactPreview'];
export type AlertEvent = Schemas['AlertEvent'];
export type Delivery = Schemas['Delivery'];
/** The result of a test message. It isn't stored. */
export type DeliveryTest = Schemas['DeliveryTest'];

export type Organization = Schemas['CurrentOrganization'];
export type ApiKey = Schemas['ApiKey'];
/** The response to creating an API key. No other response contains the key. */
export type CreatedApiKey = Schemas['CreatedApiKey'];

export type Person = Schemas['Person'];
/** A pending invitation to the organization. */
export type Invitation = Schemas['OpenInvitation'];
/** The response to creating an invitation. No other response contains its token. */
export type CreatedInvitation = Schemas['CreatedOpenInvitation'];
export type PasswordLink = Schemas['PasswordLink'];
/** The signed-in user's account. */
export type Account = Schemas['Account'];
export type OwnSession = Schemas['OwnSession'];

export type AuditEntry = Schemas['AuditEntry'];
export type System = Schemas['System'];
export type PublicPage = Schemas['PublicPage'];

/** The changes that applying a configuration document would make or has made. */
export type ConfigurationPlan = Schemas['ConfigurationPlan'];
/** Another program's configuration, converted to a configuration document. */
export type Conversion = Schemas['Conversion'];

/** An incident as returned in a list. */
export type Incident = Omit<Schemas['Incident'], 'scope'> & { scope: MaintenanceScope | null };
export type IncidentStatus = NonNullable<Incident['status']>;
export type IncidentMember = Schemas['IncidentEndpoint'];
export type IncidentUpdate = Schemas['IncidentUpdate'];
export type IncidentDetails = Omit<Schemas['IncidentDetail'], 'scope'> & { scope: MaintenanceScope | null };

/** Everything that happened in an incident, and the messages that are due next. */
export type IncidentTimeline = Schemas['IncidentTimeline'];
export type TimelineItem = Schemas['IncidentTimelineItem'];
export type TimelineEndpoint = Schemas['TimelineEndpoint'];
export type TimelineDelivery = Schemas['TimelineDelivery'];
export type PlannedNotification = Schemas['PlannedNotification'];

export type IncidentChange = Omit<Schemas['IncidentChange'], 'scope'> & Pick<Incident, 'scope'>;

/** The response from `/status/<slug>/history.json`: the public updates for one month. */
export interface PublicHistory {
  incidents: { id: string; title: string; started_at: string; ended_at: string | null; endpoints: string[] }[];
}

export type Problem = Schemas['Problem'];
export type FieldProblem = Schemas['FieldProblem'];

/** A `check` event in the live stream: a result that changed its endpoint's status. */
export type StateChange = Schemas['StateChange'];
/** A `maintenance` event in the live stream: a window has started or ended. */
export type MaintenanceChange = Schemas['MaintenanceChange'];
/**
 * An `acknowledgement` event in the live stream. `null` means that the acknowledgement was withdrawn or has expired.
 */
export type AcknowledgementChange = Schemas['AcknowledgementChange'];
export type HeartbeatChange = Schemas['HeartbeatChange'];
/** A `probe` event in the live stream: the probe has started or stopped responding. */
export type ProbeChange = Schemas['ProbeChange'];
/** A `location` event in the live stream: an endpoint's result at a location has changed. */
export type LocationChange = Schemas['LocationChange'];
