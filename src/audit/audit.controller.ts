import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../platform/access/caller';
import { Cost, costOfAuditLog } from '../platform/access/cost';
import type { Page } from '../platform/http/page';
import { Problems } from '../platform/problem/problems.decorator';
import { AuditEntryView, AuditQuery } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Audit log')
@Controller('api/v1/audit-log')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Access('admin')
  @Cost(costOfAuditLog)
  @ApiOperation({
    operationId: 'listAuditLog',
    summary: 'List who did what',
    description:
      'Every change made in your organization, every sign-in and every check that somebody asked for, newest first: who, ' +
      'what, before and after without credentials, and the id of the request. Entries cannot be changed; they go after ' +
      '`ROLLUP_RETENTION_DAYS`, or with the organization. What ends together with something else (the alerts of an ' +
      'endpoint, the sessions of a key) has no entry of its own.',
  })
  @ApiOkResponse({ type: AuditEntryView, isArray: true, description: 'One page of entries.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.audit.list(orgId, query);
  }
}
