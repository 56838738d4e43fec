import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, ValidateBy } from 'class-validator';
import { Optional } from '../platform/http/validators';

export const MAX_TAGS = 20;

const PATTERN = '[a-z0-9][a-z0-9._:/-]{0,49}';
const TAG = new RegExp(`^${PATTERN}$`);
const RULE = '1 to 50 of a-z 0-9 . _ : / -, starting with a letter or a digit';

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/**
 * Validates a list of tags in a body, in upper or lower case. Normalize it with `tagSet`. Messages contain the first
 * invalid tag.
 */
export const IsTagList = (max = MAX_TAGS): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(lower) : value)),
    IsArray(),
    ArrayMaxSize(max),
    ValidateBy({
      name: 'tag',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.every(isTag),
        defaultMessage: (args) => `${args?.property ?? 'value'} must contain only tags: ${RULE}`,
      },
    }),
  );

/** Decorates the `tags` field of a website or an endpoint. */
export const TagsField = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'string', pattern: `^${PATTERN}$` },
      maxItems: MAX_TAGS,
      default: [],
      example: ['production', 'team:web'],
      description,
    }),
    Optional(),
    IsTagList(),
  );

/** Decorates the `tag` query parameter, which may be in upper or lower case. */
export const TagQuery = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, example: 'production', pattern: `^${PATTERN}$` }),
    Optional(),
    Transform(({ value }: { value: unknown }) => lower(value)),
    ValidateBy({
      name: 'tag',
      validator: { validate: isTag, defaultMessage: (args) => `${args?.property ?? 'value'} must be a tag: ${RULE}` },
    }),
  );

/** Returns tags in their stored form: lowercase, sorted, and without duplicates. */
export const tagSet = (tags: readonly string[]): string[] =>
  [...new Set(tags.map((tag) => tag.toLowerCase()))].sort((a, b) => (a < b ? -1 : 1));

export const isTag = (value: unknown): boolean => typeof value === 'string' && TAG.test(value);
