import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy } from 'class-validator';
import { ERROR_CODES, type ErrorCode, type Outcome } from '../../checker/checker';
import { Optional } from '../../platform/http/validators';
import { LOCAL_NAME, LOCATION_PATTERN, SHARED_PREFIX } from '../../probe/probe-directory';
import { DEFAULT_LOCATIONS, MAX_LOCATIONS, QUORUM_NAMES } from './locations';

const OUTCOMES = ['up', 'down', 'unknown'] as const;
/** The reasons why the result of a location does not count, from most to least permanent. */
const LOCATION_REASONS = ['disabled', 'unsupported', 'missing', 'stale'] as const;
export type LocationReason = (typeof LOCATION_REASONS)[number];

const FORM = new RegExp(LOCATION_PATTERN);
const RULE = `${LOCAL_NAME}, the key of a probe, or ${SHARED_PREFIX} and the key of a shared probe`;

const isLocation = (value: unknown): boolean => typeof value === 'string' && FORM.test(value);

/** Decorates the `locations` field of a body. `locationProblems` checks whether each one is a known probe. */
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
        `The locations that the endpoint is checked from, as a set in the order that you choose. \`${LOCAL_NAME}\` is ` +
        `the service itself, \`<key>\` is a probe, and \`${SHARED_PREFIX}<key>\` is a probe that the operator shares. ` +
        'Each location runs one check per interval, and receives everything that is sent with the check, including ' +
        'credentials. The first check of a new location runs immediately.',
    }),
    Optional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_LOCATIONS),
    ValidateBy({
      name: 'location',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.every(isLocation),
        defaultMessage: () => `locations must contain only locations: ${RULE}`,
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
    'How many locations must report down: more than half of them, one, all, or the given number. The result of a ' +
    'stale location does not count. After five more minutes, the location is missing, and only the other locations are ' +
    'considered. Has no effect with one location.',
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

/** Decorates the `location` query parameter of an endpoint list. */
export const LocationQuery = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      description: `Return only endpoints that are checked from this location: ${RULE}.`,
      example: LOCAL_NAME,
      pattern: LOCATION_PATTERN,
    }),
    Optional(),
    ValidateBy({
      name: 'location',
      validator: { validate: isLocation, defaultMessage: () => `location must be ${RULE}` },
    }),
  );

/** The error or warning from a check at one location. */
export class LocationError {
  @ApiProperty({ enum: ERROR_CODES, type: String, example: 'connection_timeout' })
  code!: ErrorCode;

  @ApiProperty({ example: 'No connection within 10 s.' })
  message!: string;
}

/** The result of one location. The class names appear in the public API document. */
export class EndpointLocation {
  @ApiProperty({ example: 'fra', description: `The location. \`${LOCAL_NAME}\` is the service itself.` })
  location!: string;

  @ApiProperty({ example: 'Frankfurt', description: 'The name of the probe.' })
  name!: string;

  @ApiProperty({
    enum: OUTCOMES,
    example: 'up',
    description: 'The result of the newest check. `unknown` before the first one.',
  })
  status!: Outcome;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T09:00:00.000Z' })
  since!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  last_checked_at!: string | null;

  @ApiProperty({
    example: 0,
    description: 'The number of consecutive failed checks. `successes` is the number of consecutive successful checks.',
  })
  failures!: number;

  @ApiProperty({ example: 12 })
  successes!: number;

  @ApiProperty({
    example: true,
    description:
      'Whether `status` counts toward the status of the endpoint. `false` if it is `unknown`, stale, or out of service.',
  })
  counts!: boolean;

  @ApiProperty({ example: false, description: 'Whether the location has not reported for two intervals.' })
  stale!: boolean;

  @ApiProperty({ type: LocationError, nullable: true, example: null })
  error!: LocationError | null;

  @ApiProperty({
    type: String,
    enum: LOCATION_REASONS,
    nullable: true,
    example: null,
    description:
      'Why the result of the location does not count. `stale`: it has not reported for two intervals. `missing`: it ' +
      'has not reported for five more minutes, so the other locations decide without it. `disabled`: its probe is disabled. `unsupported`: the service does not support the ' +
      'version of its probe.',
  })
  reason!: LocationReason | null;
}
