import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { HeartbeatDto } from '../endpoint/heartbeat/heartbeat.dto';
import { PING_KINDS, type PingKind } from '../endpoint/heartbeat/ping-kind';
import { may, type Role } from '../platform/access/permissions';
import { Nested, Optional, QueryTimestamp } from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import { MASK } from '../platform/secrets/mask';

export class PingView {
  @ApiProperty({ example: 'pg_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T02:00:04.120Z' })
  created_at!: string;

  @ApiProperty({ enum: PING_KINDS, description: 'The kind of the ping. `start` and `log` do not count as checks.' })
  kind!: PingKind;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: null,
    description: 'The run, as given in `rid`.',
  })
  run_id!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 214_300,
    description:
      'The milliseconds since the start of the run that this ping ended. If no start was reported, `ping` of the push request, or null.',
  })
  duration_ms!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: null, description: 'The exit code in the URL, 0 to 255.' })
  exit_code!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '203.0.113.7',
    description: 'The IP address that sent the ping.',
  })
  address!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'dumped 214 tables',
    description:
      'The body, at most its first 10,000 bytes. null if there was none, or if it was not stored. Masked for read keys.',
  })
  body!: string | null;

  @ApiProperty({ type: 'integer', example: 17, description: 'The size of the whole body that was sent.' })
  body_bytes!: number;
}

export interface PingRow {
  id: string;
  createdAt: Date;
  kind: number;
  runId: string | null;
  durationMs: number | null;
  exitCode: number | null;
  address: string | null;
  body: string | null;
  bodyBytes: number;
}

/** The output of a job may contain a credential. */
export const toPingView = (row: PingRow, role: Role): PingView => ({
  id: formatId('ping', row.id),
  created_at: row.createdAt.toISOString(),
  kind: PING_KINDS[row.kind] ?? 'log',
  run_id: row.runId,
  duration_ms: row.durationMs,
  exit_code: row.exitCode,
  address: row.address,
  body: row.body !== null && !may({ role }, 'secrets.read') ? MASK : row.body,
  body_bytes: row.bodyBytes,
});

export class PreviewQuery {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'The time from which to calculate the schedule. Defaults to the current time.',
    example: '2026-11-20T10:00:00Z',
  })
  @Optional()
  @QueryTimestamp()
  from?: Date;
}

export class PreviewHeartbeatDto {
  @ApiProperty({ type: HeartbeatDto })
  @Nested(() => HeartbeatDto)
  heartbeat!: HeartbeatDto;
}

export class HeartbeatPreviewView {
  @ApiProperty({
    type: [String],
    example: ['2026-11-21T01:30:00.000Z'],
    description:
      'The next 10 times, or fewer if the schedule ends earlier. For a period, the times are calculated as if a ping came at the start.',
  })
  expected_at!: string[];

  @ApiProperty({
    type: 'integer',
    example: 3600,
    description: 'The grace period in seconds. If you leave it out, the schedule’s default applies.',
  })
  grace!: number;
}
