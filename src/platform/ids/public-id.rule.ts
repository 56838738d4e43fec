import { ValidateBy, type ValidationOptions } from 'class-validator';
import { exampleId, type IdKind, parseId } from './id';

/** Accepts a public ID of one kind in a body or query. Doesn't check whether the ID exists or who owns it. */
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
