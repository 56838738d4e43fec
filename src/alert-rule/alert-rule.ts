import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, Max, Min } from 'class-validator';
import { Nullable, Optional } from '../platform/http/validators';

/** Which checks count as bad for an alert: only down, or also degraded. */
export const ALERT_CONDITIONS = ['down', 'degraded'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export const MAX_THRESHOLD = 100;
/** Bounds in seconds. */
export const AFTER_BOUNDS = { minimum: 0, maximum: 86_400 } as const;
export const REMIND_EVERY_BOUNDS = { minimum: 300, maximum: 604_800 } as const;

/** API descriptions of the fields that an alert shares with the defaults of a contact. */
export const RULE_TEXTS = {
  condition: {
    enum: ALERT_CONDITIONS,
    description:
      'Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.',
    default: 'down',
    example: 'down',
  },
  failures: {
    type: 'integer' as const,
    description: 'Consecutive bad checks that trigger the alert. An edit counts from the next result.',
    minimum: 1,
    maximum: MAX_THRESHOLD,
    default: 3,
    example: 3,
  },
  successes: {
    type: 'integer' as const,
    description: 'Consecutive good checks that resolve it. An edit counts from the next result.',
    minimum: 1,
    maximum: MAX_THRESHOLD,
    default: 2,
    example: 2,
  },
  resolved: { description: 'false: a resolve is recorded, but not sent.', default: true },
  after: {
    type: 'integer' as const,
    description:
      'Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.',
    ...AFTER_BOUNDS,
    default: 0,
    example: 600,
  },
  remindEvery: {
    type: 'integer' as const,
    nullable: true,
    description:
      'Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.',
    ...REMIND_EVERY_BOUNDS,
    default: null,
    example: 3600,
  },
};

/**
 * The fields that decide when an alert triggers, resolves, and reminds. An alert has them, and a contact can have
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
  /** How long the endpoint must also have been bad before the alert triggers, in seconds. */
  afterSeconds: number;
  /** In seconds, or `null` for no reminders. */
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
