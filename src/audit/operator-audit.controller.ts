import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access/caller';
import type { Page } from '../platform/http/page';
import { Problems } from '../platform/problem/problems.decorator';
import { AuditEntryView, AuditQuery } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Organizations')
@Controller('api/v1/organizations/audit-log')
export class OperatorAuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Access('operator')
  @ApiOperation({
    operationId: 'listOperatorAuditLog',
    summary: 'List created and deleted organizations',
    description:
      'Operator only: which organizations were created and deleted, newest first, from where, by which request. Entries ' +
      'cannot be changed and stay when their organization goes; they go after `ROLLUP_RETENTION_DAYS`.',
  })
  @ApiOkResponse({ type: AuditEntryView, isArray: true, description: 'One page of entries.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(@Query() query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.audit.listOperator(query);
  }
}
