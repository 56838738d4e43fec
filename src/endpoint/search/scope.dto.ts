import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, Equals, IsArray, IsString, Matches } from 'class-validator';
import { Optional } from '../../platform/http/validators';
import { exampleId, formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import type { EndpointScope } from './scope';

/** The maximum number of items per list of a scope. */
const MAX_SCOPE_ITEMS = 1000;

const TAG = /^[a-z0-9][a-z0-9._:/-]{0,49}$/i;

/**
 * The endpoints that a client selects: either all, or the union of the lists. `problemsOfScope` checks which fields may
 * be combined.
 */
export class EndpointScopeDto {
  @ApiPropertyOptional({
    description: 'Everything in the organization. Cannot be combined with the lists.',
    enum: [true],
  })
  @Optional()
  @Equals(true)
  all?: true;

  @ApiPropertyOptional({
    type: [String],
    description: 'The IDs of websites. All their endpoints are included.',
    maxItems: MAX_SCOPE_ITEMS,
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SCOPE_ITEMS)
  @IsPublicId('website', { each: true })
  website_ids?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Endpoints.', maxItems: MAX_SCOPE_ITEMS })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SCOPE_ITEMS)
  @IsPublicId('endpoint', { each: true })
  endpoint_ids?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Tags of endpoints or of their websites. They do not have to exist yet.',
    example: ['production'],
    maxItems: MAX_SCOPE_ITEMS,
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SCOPE_ITEMS)
  @IsString({ each: true })
  @Matches(TAG, {
    each: true,
    message: 'each tag must have 1 to 50 letters, digits and . _ : / - and start with a letter or digit',
  })
  tags?: string[];
}

/** The class names of the views appear in the public API document. */
export class WholeScopeView {
  @ApiProperty({ enum: [true], description: 'Everything in the organization.' })
  all!: true;
}

/** Deleted resources remain listed. */
export class PartialScopeView {
  @ApiPropertyOptional({ type: [String], example: [exampleId('website')] })
  website_ids?: string[];

  @ApiPropertyOptional({ type: [String], example: [exampleId('endpoint')] })
  endpoint_ids?: string[];

  @ApiPropertyOptional({ type: [String], example: ['production'] })
  tags?: string[];
}

/** The schema of a scope in a response. The class that uses it must register both views as extra models. */
export const SHOWN_SCOPE = {
  // `not` is needed because a scope of everything would otherwise match both schemas.
  oneOf: [
    { $ref: getSchemaPath(WholeScopeView) },
    { allOf: [{ $ref: getSchemaPath(PartialScopeView) }], not: { required: ['all'] } },
  ],
  example: { tags: ['production'] },
};

export function toScopeView({
  coversAll,
  websiteIds,
  endpointIds,
  tags,
}: EndpointScope): WholeScopeView | PartialScopeView {
  if (coversAll) return { all: true };
  return {
    ...(websiteIds.length > 0 && { website_ids: websiteIds.map((id) => formatId('website', id)) }),
    ...(endpointIds.length > 0 && { endpoint_ids: endpointIds.map((id) => formatId('endpoint', id)) }),
    ...(tags.length > 0 && { tags: [...tags] }),
  };
}
