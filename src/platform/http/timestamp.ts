import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

const FORM = /^(?!0000)(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * An ISO 8601 timestamp with `Z` or an offset, or a date (its start in UTC); `null` for anything else, also for days and
 * hours that do not exist and for years that no column holds. Local times without an offset are refused: nobody could tell what they mean.
 */
export function parseTimestamp(text: string): Date | null {
  const [, year, month, day] = FORM.exec(text) ?? [];
  if (year === undefined) return null;
  const date = new Date(text);
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  const isInRange = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
  return isInRange && Number(day) <= daysInMonth ? date : null;
}

/** Reads a timestamp from the query string into a `Date`; anything else stays text and fails validation. */
export const QueryTimestamp = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (parseTimestamp(value) ?? value) : value,
    ),
    ValidateBy({
      name: 'isTimestamp',
      validator: {
        validate: (value: unknown) => value instanceof Date,
        defaultMessage: (args) =>
          `${args?.property ?? 'value'} must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z`,
      },
    }),
  );
