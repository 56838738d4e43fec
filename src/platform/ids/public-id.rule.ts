import { ValidateBy, type ValidationOptions } from 'class-validator';
import { type IdKind, parseId, prefixOf } from './id';

/** A field of a body or query that holds a public id of one kind. Says nothing about whose it is or whether it exists. */
export const IsPublicId = (kind: IdKind, options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy(
    {
      name: 'publicId',
      validator: {
        validate: (value: unknown) => parseId(kind, value) !== null,
        defaultMessage: (args) =>
          `${args?.property ?? 'value'} must be an id such as ${prefixOf(kind)}_01jd3k6q7be5y9x4v2m8n0r1st`,
      },
    },
    options,
  );
