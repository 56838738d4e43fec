import { applyDecorators, type Type as Class } from '@nestjs/common';
import { PartialType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { Allow, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { isRecord } from '../text/json';
import { isLongerThan } from '../text/text-limits';
import { type BodyClass, PART_RULE } from './body/body-parts';

/** The field may be absent; when it is sent, `null` included, its other rules apply. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field may be absent or `null`. */
export const Nullable = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** Accepted on input and ignored, so that a client may send back what it received. */
export const ReadOnlyField = (): PropertyDecorator => Allow();

/** A body that takes all that a view shows: what it has no field of its own for is ignored. */
export const ReadOnlyFieldsOf =
  (view: BodyClass): ClassDecorator =>
  ({ prototype }) => {
    for (const name of shownFields(view)) ReadOnlyField()(prototype as object, name);
  };

/** Swagger notes them like this, each as `:name`, and exports no way to ask for them. */
const shownFields = (view: BodyClass): string[] =>
  (Reflect.getMetadata('swagger/apiModelPropertiesArray', view.prototype as object) as string[]).map((name) =>
    name.slice(1),
  );

/** The body of a partial update: each field of the other one may be absent, but is `null` only where it may be there. */
export const PartialOf = <Body>(body: Class<Body>): Class<Partial<Body>> =>
  PartialType(body, { skipNullProperties: false });

/** Unlike `Type` it is inherited by what is made of the class. */
const Part = (type: () => BodyClass): PropertyDecorator =>
  ValidateBy({ name: PART_RULE, constraints: [type], validator: { validate: () => true } });

/** A list of objects of one class. Unlike nested validation alone it refuses `[[]]`, `[null]` and `["a"]`. */
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

/** An object of one class. Unlike nested validation alone it refuses lists and `null`. */
export const Nested = (type: () => new () => object): PropertyDecorator =>
  applyDecorators(IsPlainObject(), ValidateNested(), Type(type), Part(type));

/** A JSON object whose own keys are validated elsewhere (a channel's config). */
export const IsPlainObject = (): PropertyDecorator =>
  ValidateBy({
    name: 'isObject',
    validator: { validate: isRecord, defaultMessage: (args) => `${args?.property ?? 'value'} must be an object` },
  });

// C0 and C1 controls, and the bidirectional overrides that make a name read as another one.
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The same but for line ends. */
const CONTROLS_IN_LINES = new RegExp(`(?![\\r\\n])${CONTROLS.source}`, 'u');

/** A name: 1 to `max` characters after trimming, without control or bidirectional characters. Trim it with `trimmed`. */
export const IsName = (max: number): PropertyDecorator => isText(max, CONTROLS, 1);

/** As a name, but it may be empty. */
export const IsLabel = (max: number): PropertyDecorator => isText(max, CONTROLS, 0);

/** A text of several lines, plain: 1 to `max` characters after trimming, of control characters only line ends. */
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
 * The one rule for times in a query: an ISO 8601 timestamp with `Z` or an offset, or a date, which means its start in
 * UTC. `null` for anything else, also for days and hours that do not exist and for years that no column holds. A local
 * time without an offset is refused because it is ambiguous.
 */
export function parseTimestamp(text: unknown): Date | null {
  const [, year, month, day] = (typeof text === 'string' && TIMESTAMP.exec(text)) || [];
  if (typeof text !== 'string' || year === undefined) return null;
  const date = new Date(text);
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  const isInRange = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
  return isInRange && Number(day) <= daysInMonth ? date : null;
}

/** A time in a body by the same rule; `parseTimestamp` reads it. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: (value: unknown) => parseTimestamp(value) !== null,
      defaultMessage: (args) =>
        `${args?.property ?? 'value'} must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z`,
    },
  });

/** The first and the last accepted time. */
export interface TimestampBounds {
  readonly first: Date;
  readonly last: Date;
}

const isWithin = (at: Date, bounds: TimestampBounds | undefined): boolean =>
  bounds === undefined || (at >= bounds.first && at <= bounds.last);

/** Reads a timestamp from the query string into a `Date`; anything else stays as it is and fails validation. */
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
