import { applyDecorators, type Type as Class } from '@nestjs/common';
import { PartialType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { Allow, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { isRecord } from '../text/json';
import { isLongerThan } from '../text/text-limits';
import { type BodyClass, PART_RULE } from './body/body-parts';

/** Makes the field optional. If it is sent, even as `null`, its other rules apply. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

export const Nullable = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** Accepts the field and ignores it, so that a client may send back what it received. */
export const ReadOnlyField = (): PropertyDecorator => Allow();

/** Makes a body accept all fields of a view. Fields that the body doesn't declare are ignored. */
export const ReadOnlyFieldsOf =
  (view: BodyClass): ClassDecorator =>
  ({ prototype }) => {
    for (const name of shownFields(view)) ReadOnlyField()(prototype as object, name);
  };

/** Swagger stores the names as `:name` and exports no function to read them. */
const shownFields = (view: BodyClass): string[] =>
  (Reflect.getMetadata('swagger/apiModelPropertiesArray', view.prototype as object) as string[]).map((name) =>
    name.slice(1),
  );

/**
 * Returns the body class for a partial update. Each field may be omitted, but is nullable only if it is nullable in the
 * full body.
 */
export const PartialOf = <Body>(body: Class<Body>): Class<Partial<Body>> =>
  PartialType(body, { skipNullProperties: false });

/** Records the class of a nested object. Unlike with `Type`, derived classes inherit it. */
const Part = (type: () => BodyClass): PropertyDecorator =>
  ValidateBy({ name: PART_RULE, constraints: [type], validator: { validate: () => true } });

/** Accepts a list of objects of one class. Unlike nested validation alone, it rejects `[[]]`, `[null]`, and `["a"]`. */
export const ObjectList = (type: () => new () => object, maxItems: number): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: 'objectList',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every(isRecord),
        defaultMessage: (args) => `${args?.property ?? 'value'} must be an array of objects`,
      },
    }),
    ValidateBy({
      name: 'arrayMaxSize',
      constraints: [maxItems],
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.length <= maxItems,
        defaultMessage: (args) => `${args?.property ?? 'value'} must contain at most ${maxItems} items`,
      },
    }),
    ValidateNested({ each: true }),
    Type(type),
    Part(type),
  );

/** Accepts an object of one class. Unlike nested validation alone, it rejects lists and `null`. */
export const Nested = (type: () => new () => object): PropertyDecorator =>
  applyDecorators(IsPlainObject(), ValidateNested(), Type(type), Part(type));

/** Accepts a JSON object whose keys are validated elsewhere, such as a channel's config. */
export const IsPlainObject = (): PropertyDecorator =>
  ValidateBy({
    name: 'isObject',
    validator: { validate: isRecord, defaultMessage: (args) => `${args?.property ?? 'value'} must be an object` },
  });

// C0 and C1 control characters, and the bidirectional overrides that make one name look like another.
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The same set, but without line breaks. */
const CONTROLS_IN_LINES = new RegExp(`(?![\\r\\n])${CONTROLS.source}`, 'u');

/**
 * Accepts a name of 1 to `max` characters after trimming, without control or bidirectional characters. Trim the value
 * with `trimmed`.
 */
export const IsName = (max: number): PropertyDecorator => isText(max, CONTROLS, 1);

/** Accepts a name like `IsName`, or an empty string. */
export const IsLabel = (max: number): PropertyDecorator => isText(max, CONTROLS, 0);

/**
 * Accepts multi-line plain text of 1 to `max` characters after trimming. Line breaks are the only control characters
 * allowed.
 */
export const IsLines = (max: number): PropertyDecorator => isText(max, CONTROLS_IN_LINES, 1);

const isText = (max: number, refused: RegExp, min: 0 | 1): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: 'isString',
      validator: {
        validate: (value: unknown) => typeof value === 'string',
        defaultMessage: (args) => `${args?.property ?? 'value'} must be a string`,
      },
    }),
    ValidateBy({
      name: 'maxLength',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || !isLongerThan(value.trim(), max),
        defaultMessage: (args) => `${args?.property ?? 'value'} must have at most ${max} characters`,
      },
    }),
    ValidateBy({
      name: 'minLength',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || value.trim().length >= min,
        defaultMessage: (args) => `${args?.property ?? 'value'} must not be empty`,
      },
    }),
    ValidateBy({
      name: 'invalidCharacters',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || !refused.test(value),
        defaultMessage: (args) => `${args?.property ?? 'value'} must not contain control characters`,
      },
    }),
  );

const TIMESTAMP = /^(?!0000)(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a time in a query: an ISO 8601 timestamp with `Z` or an offset, or a date, which means midnight UTC. Returns
 * `null` for anything else, including days and hours that don't exist and years that don't fit into any column. A local
 * time without an offset is rejected because it is ambiguous.
 */
export function parseTimestamp(text: unknown): Date | null {
  const [, year, month, day] = (typeof text === 'string' && TIMESTAMP.exec(text)) || [];
  if (typeof text !== 'string' || year === undefined) return null;
  const date = new Date(text);
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  const isInRange = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
  return isInRange && Number(day) <= daysInMonth ? date : null;
}

/** Accepts a time in a body under the same rules as `parseTimestamp`. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: (value: unknown) => parseTimestamp(value) !== null,
      defaultMessage: (args) =>
        `${args?.property ?? 'value'} must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z`,
    },
  });

export interface TimestampBounds {
  readonly first: Date;
  readonly last: Date;
}

const isWithin = (at: Date, bounds: TimestampBounds | undefined): boolean =>
  bounds === undefined || (at >= bounds.first && at <= bounds.last);

/** Converts a timestamp in the query string to a `Date`. Other values are left unchanged and fail validation. */
export const QueryTimestamp = (bounds?: TimestampBounds): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      const at = parseTimestamp(value);
      return at && isWithin(at, bounds) ? at : value;
    }),
    ValidateBy({
      name: 'isTimestamp',
      validator: {
        validate: (value: unknown) => value instanceof Date,
        defaultMessage: (args) =>
          `${args?.property ?? 'value'} must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z`,
      },
    }),
  );
