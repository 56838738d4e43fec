import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { costOfAuditLog } from '../platform/access/cost';
import type { Page } from '../platform/http/page';
import { Route } from '../platform/http/route.decorator';
import { AuditEntryView, AuditQuery } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Audit log')
@Controller('api/v1/audit-log')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Route('GET', '', {
    access: 'admin',
    cost: costOfAuditLog,
    operationId: 'listAuditLog',
    summary: 'List who did what',
    description:
      'Every change made in your organization, every sign-in and every check that somebody asked for, newest first: who, ' +
      'what, before and after without credentials, and the id of the request. Entries cannot be changed; they go after ' +
      '`ROLLUP_RETENTION_DAYS`, or with the organization. What ends together with something else (the alerts of an ' +
      'endpoint, the sessions of a key) has no entry of its own.',
    returns: { page: AuditEntryView, description: 'One page of entries.' },
  })
  list(@OrgId() orgId: string, @Query() query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.audit.list(orgId, query);
  }
}
