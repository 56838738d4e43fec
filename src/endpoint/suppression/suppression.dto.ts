import { ApiProperty } from '@nestjs/swagger';
import { authorName } from '../../platform/access/author';
import { formatId } from '../../platform/ids/id';
import type { Maintenance } from './cover';

/** The maintenance window that is active for an endpoint. The class names appear in the public API document. */
export class EndpointMaintenance {
  @ApiProperty({
    example: 'mw_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The ID of the window. If several are active, the ID of the one that ends last.',
  })
  id!: string;

  @ApiProperty({ example: 'Database upgrade' })
  name!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-11-22T03:00:00.000Z',
    description:
      'When the maintenance ends. If windows overlap or follow each other directly, the end of the last one, at most 48 hours ahead.',
  })
  until!: string;

  @ApiProperty({ example: true, description: 'Whether alerts are prevented from triggering.' })
  mute!: boolean;

  @ApiProperty({ example: true, description: 'Whether checks are marked as planned and do not count toward uptime.' })
  exclude_from_uptime!: boolean;
}

/** The acknowledgement of an endpoint's failure. */
export class EndpointAcknowledgement {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'on-call laptop',
    description: 'The name of a user or of an API key.',
  })
  by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:04:00.000Z' })
  at!: string;

  @ApiProperty({ example: 'The disk is full; I am on it.' })
  note!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When the acknowledgement ends. `null`: it lasts until the failure ends.',
  })
  until!: string | null;
}

export const toEndpointMaintenance = (maintenance: Maintenance | null): EndpointMaintenance | null =>
  maintenance && {
    id: formatId('maintenanceWindow', maintenance.windowId),
    name: maintenance.name,
    until: maintenance.until.toISOString(),
    mute: maintenance.mute,
    exclude_from_uptime: maintenance.excludeFromUptime,
  };

export interface AcknowledgementColumns {
  /** `null` if there is no acknowledgement. In that case, ignore the other columns. */
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  acknowledgementNote: string | null;
  acknowledgedUntil: Date | null;
}

/** The columns to select in addition to a row `e` of `endpoint`. Requires `JOIN_ACKNOWLEDGEMENT`. */
export const ACKNOWLEDGEMENT_COLUMNS = `ack.at AS "acknowledgedAt", ${authorName('ack.by_name', 'ack.person_id')} AS "acknowledgedBy",
    ack.note AS "acknowledgementNote", ack.until AS "acknowledgedUntil"`;
/**
 * Joins the current acknowledgement. An expired one doesn't count, although its row may still exist. Cost: one lookup
 * in a nearly empty table.
 */
export const JOIN_ACKNOWLEDGEMENT = `LEFT JOIN acknowledgement ack
    ON ack.endpoint_id = e.id AND (ack.until IS NULL OR ack.until > clock_timestamp())`;

export const toEndpointAcknowledgement = (row: AcknowledgementColumns): EndpointAcknowledgement | null =>
  row.acknowledgedAt && {
    by: row.acknowledgedBy,
    at: row.acknowledgedAt.toISOString(),
    note: row.acknowledgementNote ?? '',
    until: row.acknowledgedUntil?.toISOString() ?? null,
  };
