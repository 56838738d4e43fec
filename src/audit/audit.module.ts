import { Module } from '@nestjs/common';
import { RetentionJob } from '../platform/jobs/retention.job';
import { AuditController } from './audit.controller';
import { AuditOpenApi } from './audit-openapi';
import { AUDIT_RETENTION } from './audit-retention';
import { AuditService } from './audit.service';
import { OperatorAuditController } from './operator-audit.controller';

/** The audit log. `recordChange` writes it in the transaction of each change, and admins read it. */
@Module({
  controllers: [AuditController, OperatorAuditController],
  providers: [AuditService, AuditOpenApi],
})
export class AuditModule {
  constructor(retention: RetentionJob) {
    retention.add(AUDIT_RETENTION);
  }
}
