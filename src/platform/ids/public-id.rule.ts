import { ValidateBy, type ValidationOptions } from 'class-validator';
import { exampleId, type IdKind, parseId } from './id';

/** A field of a body or query that holds a public id of one kind. Says nothing about whose it is or whether it exists. */
export const IsPublicId = (kind: IdKind, options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy(
    {
      name: 'publicId',
      validator: {
        validate: (value: unknown) => parseId(kind, value) !== null,
        defaultMessage: (args) => `${args?.property ?? 'value'} must be an id such as ${exampleId(kind)}`,
      },
    },
    options,
  );
