import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { AuditOpenApi } from './audit-openapi';
import { AuditRetention } from './audit-retention.job';
import { AuditService } from './audit.service';
import { OperatorAuditController } from './operator-audit.controller';

/** Who did what: recorded by `recordChange` inside each change's transaction, read by admins. */
@Module({
  controllers: [AuditController, OperatorAuditController],
  providers: [AuditService, AuditRetention, AuditOpenApi],
})
export class AuditModule {}
