import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditController } from './audit.controller';
import { AuditRetention } from './audit-retention';
import { AuditService } from './audit.service';
import { AuthorshipInterceptor } from './authorship';

/** Who changed what: carried along with each request, written by `recordChange`, read by admins. */
@Module({
  controllers: [AuditController],
  providers: [AuditService, AuditRetention, { provide: APP_INTERCEPTOR, useClass: AuthorshipInterceptor }],
})
export class AuditModule {}
