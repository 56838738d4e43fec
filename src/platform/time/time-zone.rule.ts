import { ValidateBy } from 'class-validator';
import { isTimeZone } from './time-zone';

const MAX_LENGTH = 64;

/** Accepts the name of a time zone in the IANA database. */
export const IsTimeZoneName = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimeZoneName',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && value.length <= MAX_LENGTH && isTimeZone(value),
      defaultMessage: (args) => `${args?.property ?? 'value'} must be an IANA time zone such as Europe/Berlin`,
    },
  });
