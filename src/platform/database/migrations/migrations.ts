import type { MigrationInterface } from 'typeorm';
import { Initial1700000000000 } from './1700000000000-initial';
import { Summaries1700000000500 } from './1700000000500-summaries';
import { Overview1700000000600 } from './1700000000600-overview';
import { Sessions1700000001000 } from './1700000001000-sessions';
import { Stream1700000001500 } from './1700000001500-stream';
import { StatusPages1700000002000 } from './1700000002000-status-pages';
import { AuditLog1700000003000 } from './1700000003000-audit-log';
import { OperatorAuditLog1700000003500 } from './1700000003500-operator-audit-log';
import { AlertDestination1700000004000 } from './1700000004000-alert-destination';
import { Quotas1700000005000 } from './1700000005000-quotas';
import { MaskedAudit1700000005600 } from './1700000005600-masked-audit';
import { StreamOfOrganization1700000005400 } from './1700000005400-stream-of-organization';
import { DeliveryTurns1700000005800 } from './1700000005800-delivery-turns';
import { NewEndpoints1700000005910 } from './1700000005910-new-endpoints';
import { WebsiteCounters1700000005920 } from './1700000005920-website-counters';
import { Load1700000005930 } from './1700000005930-load';
import { WatchedDays1700000005942 } from './1700000005942-watched-days';
import { PausedStatus1700000005943 } from './1700000005943-paused-status';
import { IdempotencyKeys1700000005950 } from './1700000005950-idempotency-keys';
import { FailedDeliveries1700000005960 } from './1700000005960-failed-deliveries';
import { Pages1700000005970 } from './1700000005970-pages';
import { FindingAndMoving1700000005980 } from './1700000005980-finding-and-moving';
import { Quiet1700000005990 } from './1700000005990-quiet';
import { PlannedHistory1700000005992 } from './1700000005992-planned-history';
import { Maintenance1700000005994 } from './1700000005994-maintenance';
import { Acknowledgement1700000005996 } from './1700000005996-acknowledgement';
import { Announcements1700000005999 } from './1700000005999-announcements';
import { Contacts1700000006100 } from './1700000006100-contacts';
import { ContactRoutes1700000006110 } from './1700000006110-contact-routes';
import { Keys1700000006120 } from './1700000006120-keys';
import { EndpointTls1700000006130 } from './1700000006130-endpoint-tls';
import { NewestPhases1700000006140 } from './1700000006140-newest-phases';
import { Extensions1700000006150 } from './1700000006150-extensions';
import { FailingContacts1700000006170 } from './1700000006170-failing-contacts';
import { ChangedBytes1700000006160 } from './1700000006160-changed-bytes';

/** Every migration, oldest first. Add a new one here by hand: nothing depends on file name patterns. */
export const migrations: (new () => MigrationInterface)[] = [
  Initial1700000000000,
  Summaries1700000000500,
  Overview1700000000600,
  Sessions1700000001000,
  Stream1700000001500,
  StatusPages1700000002000,
  AuditLog1700000003000,
  OperatorAuditLog1700000003500,
  AlertDestination1700000004000,
  Quotas1700000005000,
  StreamOfOrganization1700000005400,
  MaskedAudit1700000005600,
  DeliveryTurns1700000005800,
  NewEndpoints1700000005910,
  WebsiteCounters1700000005920,
  Load1700000005930,
  WatchedDays1700000005942,
  PausedStatus1700000005943,
  IdempotencyKeys1700000005950,
  FailedDeliveries1700000005960,
  Pages1700000005970,
  FindingAndMoving1700000005980,
  Quiet1700000005990,
  PlannedHistory1700000005992,
  Maintenance1700000005994,
  Acknowledgement1700000005996,
  Announcements1700000005999,
  Contacts1700000006100,
  ContactRoutes1700000006110,
  Keys1700000006120,
  EndpointTls1700000006130,
  NewestPhases1700000006140,
  Extensions1700000006150,
  ChangedBytes1700000006160,
  FailingContacts1700000006170,
];
