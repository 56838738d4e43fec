import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../platform/http/page';
import { Route } from '../platform/http/route.decorator';
import { AuditEntryView, AuditQuery } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Organizations')
@Controller('api/v1/organizations/audit-log')
export class OperatorAuditController {
  constructor(private readonly audit: AuditService) {}

  @Route('GET', '', {
    access: 'operator',
    operationId: 'listOperatorAuditLog',
    summary: 'List created and deleted organizations',
    description:
      'For the operator only: organizations that were created and deleted, newest first, with the IP address and ' +
      'the ID of the request. Entries cannot be changed and are kept when their organization is deleted. They are ' +
      'deleted after `ROLLUP_RETENTION_DAYS`.',
    returns: { page: AuditEntryView, description: 'One page of entries.' },
    problems: ['not_found'],
  })
  list(@Query() query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.audit.listOperator(query);
  }
}
