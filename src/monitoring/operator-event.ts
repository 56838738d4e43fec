import { ApiProperty } from '@nestjs/swagger';
import type { OverloadState } from '../engine/dispatch/overload';

/** The process that sends an event, and the time. `since` is when the overload started, by the database's clock. */
export interface EventOrigin {
  at: Date;
  since: Date;
  host: string;
  /** The number of the instance, or `null` while it isn't registered. */
  instance: number | null;
}

const WHEN = { type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' };

/** The JSON body that `OPERATOR_WEBHOOK_URL` receives. Public: fields are added, never changed. */
export class OverloadEvent {
  @ApiProperty({ enum: ['overload.began', 'overload.ended'] })
  type!: 'overload.began' | 'overload.ended';

  @ApiProperty({ ...WHEN, description: 'When it was told; with `since`, how long it has lasted.' })
  at!: string;

  @ApiProperty({ ...WHEN, description: 'When it began.' })
  since!: string;

  @ApiProperty({ description: 'Where the process runs.', example: 'monitor-1' })
  host!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of the process among the instances; null while it has none.',
    example: 1,
  })
  instance!: number | null;

  @ApiProperty({ description: 'Checks that fall due for each one that is begun. At the end: 1.', example: 1.4 })
  ratio!: number;

  @ApiProperty({ description: 'Checks that are skipped each second.', example: 20.5 })
  skipped_per_second!: number;

  @ApiProperty({ type: 'integer', description: 'Checks skipped since it began.', example: 205 })
  slots_skipped!: number;

  @ApiProperty({ type: 'integer', description: 'Results lost since it began.', example: 0 })
  results_lost!: number;

  @ApiProperty({ type: 'integer', description: 'Results that wait to be recorded.', example: 12 })
  results_waiting!: number;

  @ApiProperty({
    description: 'All of it in one sentence for people.',
    example:
      'The uptime monitor on monitor-1 is overloaded: asked 1.4 times what it can check, it skips 21 checks a second; alerts still come.',
  })
  text!: string;
}

/**
 * A change of the overload. `stopped` means that the process exits while it is overloaded and can't report the end
 * later.
 */
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
    `is overloaded: asked ${tenths(ratio)} times what it can check, it skips ${Math.round(skippedPerSecond)} checks a second; alerts still come.`,
  ended: (state) => `is no longer overloaded ${balance(state)}`,
  stopped: (state) => `was stopped while overloaded, ${balance(state)}`,
};
