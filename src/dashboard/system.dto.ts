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
    description: 'The time when the overload started, by the earliest of the overloaded instances.',
    example: '2026-11-23T14:02:00.000Z',
  })
  since!: string;

  @ApiProperty({
    description:
      'The number of checks that come due for each check that is started, in the instance with the highest ratio.',
    example: 1.8,
  })
  ratio!: number;

  @ApiProperty({
    description: 'The number of checks that all instances skip per second because of the overload.',
    example: 840,
  })
  skipped_per_second!: number;
}

export class SystemSchedulerView {
  @ApiProperty({ description: 'The number of endpoints that are checked on a schedule.', example: 120 })
  active_endpoints!: number;

  @ApiProperty({
    description: 'How late the most overdue check is, in milliseconds. 0 if no check is overdue.',
    example: 0,
  })
  lag_ms!: number;

  @ApiProperty({
    description: 'The number of checks that all instances start per second, over the last seconds.',
    example: 12.4,
  })
  checks_per_second!: number;

  @ApiProperty({
    type: SystemOverloadView,
    nullable: true,
    description: 'The current overload. Set while more checks come due than the installation can run.',
    example: null,
  })
  overload!: SystemOverloadView | null;
}

export class SystemOutboxView {
  @ApiProperty({ description: 'The number of messages that are still pending.', example: 0 })
  pending!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The age of the oldest pending message, in seconds.',
    example: null,
  })
  oldest_pending_age_seconds!: number | null;

  @ApiProperty({
    description: 'The number of messages in all organizations that could not be delivered, not counting test messages.',
    example: 0,
  })
  failed!: number;
}

export class SystemRetentionView {
  @ApiProperty({ description: 'The number of days that individual checks are kept.', example: 30 })
  raw_days!: number;

  @ApiProperty({ description: 'The number of days that hourly and daily data is kept.', example: 400 })
  rollup_days!: number;
}

/** The state of the installation, for its operators. */
export class SystemView {
  @ApiProperty({ example: '0.1.0' })
  version!: string;

  @ApiProperty({ enum: ['all', 'api', 'worker'], description: 'The role of this process.' })
  role!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The start time of this process.',
    example: '2026-11-20T10:00:00.000Z',
  })
  started_at!: string;

  @ApiProperty({ description: 'The resident memory of this process, in bytes.', example: 182_452_224 })
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
