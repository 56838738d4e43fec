import type { MigrationInterface } from 'typeorm';
import { Initial1795564800000 } from './1795564800000-initial';
import { HistoryBegins1795564800001 } from './1795564800001-history-begins';
import { Certificates1795651200000 } from './1795651200000-certificates';
import { RecoveryBegins1795737600000 } from './1795737600000-recovery-begins';
import { Invitations1795780800000 } from './1795780800000-invitations';
import { Heartbeats1795824000000 } from './1795824000000-heartbeats';
import { Incidents1795910400000 } from './1795910400000-incidents';
import { HeartbeatEvents1796083200000 } from './1796083200000-heartbeat-events';
import { People1796169600000 } from './1796169600000-people';
import { IncidentsApart1796173200000 } from './1796173200000-incidents-apart';
import { Authors1796256000000 } from './1796256000000-authors';
import { Probes1796342400000 } from './1796342400000-probes';
import { Locations1796346000000 } from './1796346000000-locations';
import { Links1796432400000 } from './1796432400000-links';
import { ConfirmedGroups1796432410000 } from './1796432410000-confirmed-groups';
import { SessionBounds1796432411000 } from './1796432411000-session-bounds';
import { SealedServerSecrets1796432412000 } from './1796432412000-sealed-server-secrets';
import { SecondFactor1796432413000 } from './1796432413000-second-factor';
import { HeartbeatAddresses1796432420000 } from './1796432420000-heartbeat-addresses';
import { WatchedProbes1796432421000 } from './1796432421000-watched-probes';
import { LongerRoles1796432422000 } from './1796432422000-longer-roles';
import { CheckSettings1796432450000 } from './1796432450000-check-settings';
import { IncidentOutages1796518800000 } from './1796518800000-incident-outages';
import { ConfirmedOutages1796518801000 } from './1796518801000-confirmed-outages';
import { OrganizationTimezone1796518802000 } from './1796518802000-organization-timezone';
import { DeletedEndpoints1796518803000 } from './1796518803000-deleted-endpoints';
import { PublicFaces1796522400000 } from './1796522400000-public-faces';
import { Reports1796526000000 } from './1796526000000-reports';

/** Every migration, oldest first. Add a new one here by hand: nothing depends on file name patterns. */
export const migrations: (new () => MigrationInterface)[] = [
  Initial1795564800000,
  HistoryBegins1795564800001,
  Certificates1795651200000,
  RecoveryBegins1795737600000,
  Invitations1795780800000,
  Heartbeats1795824000000,
  Incidents1795910400000,
  HeartbeatEvents1796083200000,
  People1796169600000,
  IncidentsApart1796173200000,
  Authors1796256000000,
  Probes1796342400000,
  Locations1796346000000,
  Links1796432400000,
  ConfirmedGroups1796432410000,
  SessionBounds1796432411000,
  SealedServerSecrets1796432412000,
  SecondFactor1796432413000,
  HeartbeatAddresses1796432420000,
  WatchedProbes1796432421000,
  LongerRoles1796432422000,
  CheckSettings1796432450000,
  IncidentOutages1796518800000,
  ConfirmedOutages1796518801000,
  OrganizationTimezone1796518802000,
  DeletedEndpoints1796518803000,
  PublicFaces1796522400000,
  Reports1796526000000,
  // A released one is never changed: the next one is added here.
];
