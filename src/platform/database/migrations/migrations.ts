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
];
