import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy } from 'class-validator';
import { ERROR_CODES, type ErrorCode, type Outcome } from '../../checker/checker';
import { Optional } from '../../platform/http/validators';
import { LOCAL_NAME, LOCATION_PATTERN, SHARED_PREFIX } from '../../probe/probe-directory';
import { DEFAULT_LOCATIONS, MAX_LOCATIONS, QUORUM_NAMES } from './locations';

const OUTCOMES = ['up', 'down', 'unknown'] as const;
const VOTES = ['up', 'down'] as const;
/** The reasons why a location has no vote. The most permanent reason comes first. */
const LOCATION_REASONS = ['disabled', 'unsupported', 'lost', 'silent'] as const;
export type LocationReason = (typeof LOCATION_REASONS)[number];

const FORM = new RegExp(LOCATION_PATTERN);
const RULE = `${LOCAL_NAME}, the key of a probe, or ${SHARED_PREFIX} and the key of one that the operator shares`;

const isLocation = (value: unknown): boolean => typeof value === 'string' && FORM.test(value);

/** Decorates the field `locations` of a body. `locationProblems` checks whether each one is a known probe. */
export const LocationsField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'string', pattern: LOCATION_PATTERN },
      minItems: 1,
      maxItems: MAX_LOCATIONS,
      default: [...DEFAULT_LOCATIONS],
      example: [...DEFAULT_LOCATIONS],
      description:
        `Where it is checked from, a set in your order: \`${LOCAL_NAME}\` is the service itself, \`<key>\` a probe, ` +
        `\`${SHARED_PREFIX}<key>\` one that the operator shares. Each looks once in an interval; what is sent with the check, ` +
        'credentials included, goes to each. The first check of a new location runs at once.',
    }),
    Optional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_LOCATIONS),
    ValidateBy({
      name: 'location',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.every(isLocation),
        defaultMessage: () => `locations must hold locations only: ${RULE}`,
      },
    }),
  );

const isQuorum = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isInteger(value) : QUORUM_NAMES.some((name) => name === value);

const QUORUM_SCHEMA = {
  oneOf: [
    { type: 'string', enum: [...QUORUM_NAMES] },
    { type: 'integer', minimum: 1, maximum: MAX_LOCATIONS },
  ],
  description:
    'How many locations must see it down: more than half of them, one, all, or so many. A location that is silent does not vote; ' +
    'one that is lost, five minutes later, no longer counts. Without meaning for one location.',
  example: 'majority',
};

export const QuorumField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ ...QUORUM_SCHEMA, default: 'majority' }),
    Optional(),
    ValidateBy({
      name: 'quorum',
      validator: {
        validate: isQuorum,
        defaultMessage: () => `quorum must be one of ${QUORUM_NAMES.join(', ')}, or a whole number`,
      },
    }),
    ValidateBy({
      name: 'max',
      validator: {
        validate: (value: unknown) => typeof value !== 'number' || (value >= 1 && value <= MAX_LOCATIONS),
        defaultMessage: () => `quorum must be from 1 to ${MAX_LOCATIONS}`,
      },
    }),
  );

export const ShownQuorum = (): PropertyDecorator => ApiProperty(QUORUM_SCHEMA);

/** Decorates the query parameter `location` of a list of endpoints. */
export const LocationQuery = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      description: `Only endpoints that are checked from there: ${RULE}.`,
      example: LOCAL_NAME,
      pattern: LOCATION_PATTERN,
    }),
    Optional(),
    ValidateBy({
      name: 'location',
      validator: { validate: isLocation, defaultMessage: () => `location must be ${RULE}` },
    }),
  );

/** The error or warning of a check at one location. */
export class LocationError {
  @ApiProperty({ enum: ERROR_CODES, type: String, example: 'connection_timeout' })
  code!: ErrorCode;

  @ApiProperty({ example: 'No connection within 10 s.' })
  message!: string;
}

/** The result of one location. The class names are part of the public API document. */
export class EndpointLocation {
  @ApiProperty({ example: 'fra', description: `\`${LOCAL_NAME}\` is the service itself.` })
  location!: string;

  @ApiProperty({ example: 'Frankfurt', description: 'Of the probe.' })
  name!: string;

  @ApiProperty({ enum: OUTCOMES, example: 'up', description: 'By its newest check; `unknown` before the first.' })
  status!: Outcome;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T09:00:00.000Z' })
  since!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  last_checked_at!: string | null;

  @ApiProperty({ example: 0, description: 'Checks in a row that were down, and that were up.' })
  failures!: number;

  @ApiProperty({ example: 12 })
  successes!: number;

  @ApiProperty({
    type: String,
    enum: VOTES,
    nullable: true,
    example: 'up',
    description:
      'What counts of it for the status; null where it has no vote: it is silent, or saw neither up nor down.',
  })
  vote!: 'up' | 'down' | null;

  @ApiProperty({ example: false, description: 'It has not reported for two intervals.' })
  silent!: boolean;

  @ApiProperty({ type: LocationError, nullable: true, example: null })
  error!: LocationError | null;

  @ApiProperty({
    type: String,
    enum: LOCATION_REASONS,
    nullable: true,
    example: null,
    description:
      'Why it has no vote. `lost`: silent for five minutes more, so the others decide without it; `disabled`: its probe is; ' +
      '`unsupported`: its probe is of a version that the service does not speak with.',
  })
  reason!: LocationReason | null;
}
