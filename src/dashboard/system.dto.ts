import { ApiProperty } from '@nestjs/swagger';

export class SystemDatabaseView {
  @ApiProperty({ enum: ['embedded', 'postgresql'] })
  kind!: 'embedded' | 'postgresql';

  @ApiProperty({ example: '18.1' })
  version!: string;

  @ApiProperty({ example: 48_230_144 })
  size_bytes!: number;
}

export class SystemOverloadView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When it began, by the earliest of the instances that are overloaded.',
    example: '2026-11-23T14:02:00.000Z',
  })
  since!: string;

  @ApiProperty({
    description: 'Checks that fall due for each one that is begun, in the instance where that is most.',
    example: 1.8,
  })
  ratio!: number;

  @ApiProperty({ description: 'Checks that are skipped for it each second, by all instances.', example: 840 })
  skipped_per_second!: number;
}

export class SystemSchedulerView {
  @ApiProperty({ description: 'Endpoints that are checked on a schedule.', example: 120 })
  active_endpoints!: number;

  @ApiProperty({ description: 'How late the most overdue check is, milliseconds; 0 when none is.', example: 0 })
  lag_ms!: number;

  @ApiProperty({ description: 'Checks that all instances begin each second, over the last seconds.', example: 12.4 })
  checks_per_second!: number;

  @ApiProperty({
    type: SystemOverloadView,
    nullable: true,
    description: 'Set while more checks fall due than the installation can make.',
    example: null,
  })
  overload!: SystemOverloadView | null;
}

export class SystemOutboxView {
  @ApiProperty({ description: 'Messages that are still owed.', example: 0 })
  pending!: number;

  @ApiProperty({ type: Number, nullable: true, description: 'Age of the oldest of them, seconds.', example: null })
  oldest_pending_age_seconds!: number | null;

  @ApiProperty({ description: 'Messages of all organizations that were given up, without tests.', example: 0 })
  failed!: number;
}

export class SystemRetentionView {
  @ApiProperty({ description: 'Days that single checks are kept.', example: 30 })
  raw_days!: number;

  @ApiProperty({ description: 'Days that hourly and daily figures are kept.', example: 400 })
  rollup_days!: number;
}

/** The state of the installation, for its operators. */
export class SystemView {
  @ApiProperty({ example: '0.1.0' })
  version!: string;

  @ApiProperty({ enum: ['all', 'api', 'worker'], description: 'What this process does.' })
  role!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Start of this process.',
    example: '2026-11-20T10:00:00.000Z',
  })
  started_at!: string;

  @ApiProperty({ description: 'Resident memory of this process.', example: 182_452_224 })
  memory_bytes!: number;

  @ApiProperty({ type: SystemDatabaseView })
  database!: SystemDatabaseView;

  @ApiProperty({ type: SystemSchedulerView })
  scheduler!: SystemSchedulerView;

  @ApiProperty({ type: SystemOutboxView })
  outbox!: SystemOutboxView;

  @ApiProperty({ type: SystemRetentionView })
  retention!: SystemRetentionView;
}
