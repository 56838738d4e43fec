import { ApiProperty } from '@nestjs/swagger';
import type { OverloadState } from '../engine/dispatch/overload';

/**
 * The process that sends an event, and the time. `since` is when the overload started, according to the database's
 * clock.
 */
export interface EventOrigin {
  at: Date;
  since: Date;
  host: string;
  /** The instance number, or `null` while the process isn't registered. */
  instance: number | null;
}

const WHEN = { type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' };

/** The JSON body that `OPERATOR_WEBHOOK_URL` receives. This format is public: fields are added, never changed. */
export class OverloadEvent {
  @ApiProperty({ enum: ['overload.began', 'overload.ended'] })
  type!: 'overload.began' | 'overload.ended';

  @ApiProperty({
    ...WHEN,
    description: 'The time of the event. Together with `since`, it shows how long the overload has lasted.',
  })
  at!: string;

  @ApiProperty({ ...WHEN, description: 'When the overload started.' })
  since!: string;

  @ApiProperty({ description: 'The host name of the machine that the process runs on.', example: 'monitor-1' })
  host!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of the process among the instances. null while it has none.',
    example: 1,
  })
  instance!: number | null;

  @ApiProperty({
    description: 'The number of checks that come due for each check that is started. 1 when the overload has ended.',
    example: 1.4,
  })
  ratio!: number;

  @ApiProperty({ description: 'The number of checks that are skipped per second.', example: 20.5 })
  skipped_per_second!: number;

  @ApiProperty({
    type: 'integer',
    description: 'The number of checks that were skipped since the start.',
    example: 205,
  })
  slots_skipped!: number;

  @ApiProperty({ type: 'integer', description: 'The number of results that were lost since the start.', example: 0 })
  results_lost!: number;

  @ApiProperty({ type: 'integer', description: 'The number of results that wait to be recorded.', example: 12 })
  results_waiting!: number;

  @ApiProperty({
    description: 'A human-readable one-sentence summary.',
    example:
      'The uptime monitor on monitor-1 is overloaded: 1.4 times as many checks are due as it can run, and it skips 21 checks a second. Alerts are still sent.',
  })
  text!: string;
}

/** A change in the overload. `stopped` means that the process exits while overloaded and can't report the end later. */
export type OverloadNews = 'began' | 'ended' | 'stopped';

export function overloadEvent(
  news: OverloadNews,
  state: OverloadState,
  { at, since, host, instance }: EventOrigin,
): OverloadEvent {
  const isOver = news !== 'began';
  return {
    type: isOver ? 'overload.ended' : 'overload.began',
    at: at.toISOString(),
    since: since.toISOString(),
    host,
    instance,
    ratio: isOver ? 1 : tenths(state.ratio),
    skipped_per_second: isOver ? 0 : tenths(state.skippedPerSecond),
    slots_skipped: state.skipped,
    results_lost: state.lost,
    results_waiting: state.waiting,
    text: `The uptime monitor on ${host} ${SENTENCE[news](state)}`,
  };
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

const balance = ({ lastedMs, skipped, lost }: OverloadState): string =>
  `after ${Math.round(lastedMs / 1000)} s: ${skipped} checks were skipped, ${lost} results were lost.`;

const SENTENCE: Readonly<Record<OverloadNews, (state: OverloadState) => string>> = {
  began: ({ ratio, skippedPerSecond }) =>
    `is overloaded: ${tenths(ratio)} times as many checks are due as it can run, and it skips ${Math.round(skippedPerSecond)} checks a second. Alerts are still sent.`,
  ended: (state) => `is no longer overloaded ${balance(state)}`,
  stopped: (state) => `was stopped while overloaded, ${balance(state)}`,
};
