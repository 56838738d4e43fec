import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { Nullable } from '../validators';

/** The format for keys and for owners' names. */
export const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const RULE = '1 to 64 of a-z 0-9 . _ -, starting with a letter or a digit';

const TEXT = (among: string): string =>
  `A name that you choose for use in configuration files. Unique among ${among}. null if there is none.`;

/**
 * Declares the body field `key`. `among` describes its siblings in the documentation. There is no example, because
 * sending an example twice must not be rejected.
 */
export const KeyField = (among: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, pattern: KEY.source, description: TEXT(among), example: null }),
    Nullable(),
    IsString(),
    Matches(KEY, { message: `key must be ${RULE}` }),
  );

export const ShownKey = (among: string, example: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, description: TEXT(among), example });

export const ShownOwner = (): PropertyDecorator =>
  ApiProperty({
    type: String,
    nullable: true,
    description: 'The owner of the configuration document that declares the resource. null if no document declares it.',
    example: null,
  });
