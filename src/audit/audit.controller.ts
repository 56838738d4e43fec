import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { costOfAuditLog } from '../platform/access/cost';
import { AlsoCsv } from '../platform/http/csv/also-csv.decorator';
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
    summary: 'List audit log entries',
    description:
      'Every change made in your organization, every sign-in and every on-demand check, newest first. Each entry ' +
      'shows who made it, what it affected, the settings before and after without credentials, and the ID of the ' +
      'request. Entries cannot be changed. They are deleted after `ROLLUP_RETENTION_DAYS`, or together with the ' +
      'organization. Resources that are deleted together with their parent (the alert rules of an endpoint, the sessions of ' +
      'a key) have no entry. With `Accept: text/csv` and without `limit`, the response has all matching entries.',
    returns: { page: AuditEntryView, description: 'One page of entries.' },
  })
  @AlsoCsv<AuditEntryView>({
    file: 'audit-log',
    columns: [
      'id',
      'created_at',
      'action',
      'resource',
      'resource_id',
      'changed',
      'before',
      'after',
      'author.via',
      'author.person_id',
      'author.person_name',
      'author.key_id',
      'author.key_name',
      'author.ip',
      'request_id',
    ],
  })
  list(@OrgId() orgId: string, @Query() query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.audit.list(orgId, query);
  }
}
