import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditController } from './audit.controller';
import { AuditRetention } from './audit-retention';
import { AuditService } from './audit.service';
import { AuthorshipInterceptor } from './authorship';
import { OperatorAuditController } from './operator-audit.controller';

/** Who did what: carried along with each request, written by `recordChange`, read by admins. */
@Module({
  controllers: [AuditController, OperatorAuditController],
  providers: [AuditService, AuditRetention, { provide: APP_INTERCEPTOR, useClass: AuthorshipInterceptor }],
})
export class AuditModule {}
