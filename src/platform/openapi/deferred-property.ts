import type { ApiPropertyOptions } from '@nestjs/swagger';

type Write = (options: ApiPropertyOptions) => PropertyDecorator;

let write: Write | null = null;
const waiting: (() => void)[] = [];

/**
 * Documents a property like the decorator of the same name in `@nestjs/swagger`, for classes that a probe loads. A probe
 * has no API document, and without that package it starts faster and needs 12 MiB less.
 */
export const ApiProperty =
  (options: ApiPropertyOptions = {}): PropertyDecorator =>
  (target, key) => {
    if (write === null) waiting.push(() => write?.(options)(target, key));
    else write(options)(target, key);
  };

export const ApiPropertyOptional = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  ApiProperty({ ...options, required: false } as ApiPropertyOptions);

/** Documents all properties by this decorator: those that wait in the order in which they were declared, and later ones. */
export function writeProperties(by: Write): void {
  write = by;
  for (const document of waiting.splice(0)) document();
}
