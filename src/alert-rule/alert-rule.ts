import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, Max, Min } from 'class-validator';
import { Nullable, Optional } from '../platform/http/validators';

/** The checks that count as bad for an alert: only down, or also degraded. */
export const ALERT_CONDITIONS = ['down', 'degraded'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export const MAX_THRESHOLD = 100;
/** The limits in seconds. */
export const AFTER_BOUNDS = { minimum: 0, maximum: 86_400 } as const;
export const REMIND_EVERY_BOUNDS = { minimum: 300, maximum: 604_800 } as const;

/** The API descriptions of the fields that an alert shares with the defaults of a contact. */
export const RULE_TEXTS = {
  condition: {
    enum: ALERT_CONDITIONS,
    description:
      'Which checks count as failed. `down`: only checks that are down. `degraded`: also checks that are up while an assertion with severity `warning` fails. With `degraded`, the alert resolves when the endpoint is up without a warning.',
    default: 'down',
    example: 'down',
  },
  failures: {
    type: 'integer' as const,
    description:
      'The number of consecutive failed checks that trigger the alert. A change applies from the next result.',
    minimum: 1,
    maximum: MAX_THRESHOLD,
    default: 3,
    example: 3,
  },
  successes: {
    type: 'integer' as const,
    description:
      'The number of consecutive successful checks that resolve the alert. A change applies from the next result.',
    minimum: 1,
    maximum: MAX_THRESHOLD,
    default: 2,
    example: 2,
  },
  resolved: {
    description: 'Whether a message is sent when the alert resolves. With `false`, the event is only recorded.',
    default: true,
  },
  after: {
    type: 'integer' as const,
    description:
      'A delay in seconds. In addition to the failure threshold, the endpoint must have been failing for this long before the alert triggers. With 0, only the threshold counts.',
    ...AFTER_BOUNDS,
    default: 0,
    example: 600,
  },
  remindEvery: {
    type: 'integer' as const,
    nullable: true,
    description:
      'The interval in seconds between reminders while the alert is triggered. No reminders are sent while the alert is suppressed or flapping. `null`: no reminders. PagerDuty and Opsgenie have their own reminders, so the service does not send them any.',
    ...REMIND_EVERY_BOUNDS,
    default: null,
    example: 3600,
  },
};

/**
 * The fields that determine when an alert triggers, resolves, and reminds. An alert has them, and a contact can have
 * defaults for them.
 */
export class AlertDefaults {
  @ApiPropertyOptional(RULE_TEXTS.condition)
  @Optional()
  @IsIn(ALERT_CONDITIONS)
  condition?: AlertCondition;

  @ApiPropertyOptional(RULE_TEXTS.failures)
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_THRESHOLD)
  failure_threshold?: number;

  @ApiPropertyOptional(RULE_TEXTS.successes)
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_THRESHOLD)
  success_threshold?: number;

  @ApiPropertyOptional(RULE_TEXTS.resolved)
  @Optional()
  @IsBoolean()
  send_on_resolved?: boolean;

  @ApiPropertyOptional(RULE_TEXTS.after)
  @Optional()
  @IsInt()
  @Min(AFTER_BOUNDS.minimum)
  @Max(AFTER_BOUNDS.maximum)
  after?: number;

  @ApiPropertyOptional(RULE_TEXTS.remindEvery)
  @Nullable()
  @IsInt()
  @Min(REMIND_EVERY_BOUNDS.minimum)
  @Max(REMIND_EVERY_BOUNDS.maximum)
  remind_every?: number | null;
}

export interface StoredRule {
  condition: AlertCondition;
  failureThreshold: number;
  successThreshold: number;
  sendOnResolved: boolean;
  /**
   * How long the endpoint must have been bad before the alert triggers, in seconds. The threshold must also be reached.
   */
  afterSeconds: number;
  /** The interval in seconds, or `null` for no reminders. */
  remindEverySeconds: number | null;
}

export const RULE_COLUMNS = {
  condition: 'condition',
  failureThreshold: 'failure_threshold',
  successThreshold: 'success_threshold',
  sendOnResolved: 'send_on_resolved',
  afterSeconds: 'after_seconds',
  remindEverySeconds: 'remind_every_seconds',
} as const satisfies Record<keyof StoredRule, string>;
