import { ApiProperty } from '@nestjs/swagger';
import type { Role } from '../../platform/access/permissions';
import { exampleId, formatId } from '../../platform/ids/id';
import { DAY_MS } from '../../platform/time/time-units';
import { shownUrl } from '../settings/shown-settings';
import { RESTORABLE_DAYS } from './deleted-endpoint-rows';

const WHEN = { type: String, format: 'date-time' };

export class DeletedEndpointView {
  @ApiProperty({ example: exampleId('endpoint') })
  id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({
    description: 'The target. For read keys, the query of an HTTP(S) URL is masked.',
    example: 'https://shop.example.com/checkout',
  })
  url!: string;

  @ApiProperty({ example: 'HTTPS' })
  type!: string;

  @ApiProperty({ example: exampleId('website') })
  website_id!: string;

  @ApiProperty({ example: 'Shop' })
  website_name!: string;

  @ApiProperty({ type: 'integer', description: 'The number of alert rules that were deleted with it.', example: 2 })
  alert_count!: number;

  @ApiProperty({ ...WHEN, example: '2026-11-26T10:00:00.000Z' })
  deleted_at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or API key that deleted it.',
    example: 'Ada',
  })
  deleted_by!: string | null;

  @ApiProperty({
    ...WHEN,
    description: 'Until when it can be restored. After that, its history is deleted.',
    example: '2026-12-03T10:00:00.000Z',
  })
  restorable_until!: string;
}

export interface DeletedEndpointRow {
  id: string;
  name: string;
  url: string;
  type: string;
  websiteId: string;
  websiteName: string;
  alertCount: number;
  deletedAt: Date;
  by: string | null;
}

export const toDeletedEndpointView = (row: DeletedEndpointRow, role: Role): DeletedEndpointView => ({
  id: formatId('endpoint', row.id),
  name: row.name,
  url: shownUrl(row.url, role),
  type: row.type,
  website_id: formatId('website', row.websiteId),
  website_name: row.websiteName,
  alert_count: row.alertCount,
  deleted_at: row.deletedAt.toISOString(),
  deleted_by: row.by,
  restorable_until: new Date(row.deletedAt.getTime() + RESTORABLE_DAYS * DAY_MS).toISOString(),
});
