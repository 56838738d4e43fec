import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { Allow, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';

/** The field may be absent; when it is sent, `null` included, its other rules apply. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field may be absent or `null`. */
export const Nullable = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** Accepted on input and ignored, so that a client may send back what it was given. */
export const ReadOnlyField = (): PropertyDecorator => Allow();

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list of objects of one class. Unlike nested validation alone it refuses `[[]]`, `[null]` and `["a"]`. */
export const ObjectList = (type: () => new () => object, maxItems: number): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: 'objectList',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every(isPlainObject),
        defaultMessage: (args) => `${args?.property ?? 'value'} must be an array of objects`,
      },
    }),
    ValidateBy({
      name: 'arrayMaxSize',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.length <= maxItems,
        defaultMessage: (args) => `${args?.property ?? 'value'} must contain at most ${maxItems} items`,
      },
    }),
    ValidateNested({ each: true }),
    Type(type),
  );

/** A JSON object whose own keys somebody else judges (a channel's config). */
export const IsPlainObject = (): PropertyDecorator =>
  ValidateBy({
    name: 'isObject',
    validator: { validate: isPlainObject, defaultMessage: (args) => `${args?.property ?? 'value'} must be an object` },
  });

// C0 and C1 controls, and the bidirectional overrides that make a name read as another one.
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A name: 1 to `max` characters after trimming, without control or bidirectional characters. Trim it with `trimmed`. */
export const IsName = (max: number): PropertyDecorator =>
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
        validate: (value: unknown) => typeof value !== 'string' || value.trim().length <= max,
        defaultMessage: (args) => `${args?.property ?? 'value'} must have at most ${max} characters`,
      },
    }),
    ValidateBy({
      name: 'minLength',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || value.trim().length > 0,
        defaultMessage: (args) => `${args?.property ?? 'value'} must not be empty`,
      },
    }),
    ValidateBy({
      name: 'invalidCharacters',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || !CONTROLS.test(value),
        defaultMessage: (args) => `${args?.property ?? 'value'} must not contain control characters`,
      },
    }),
  );
