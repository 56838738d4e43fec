import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, Equals, IsArray, IsString, Matches } from 'class-validator';
import { Optional } from '../../platform/http/validators';
import { IsPublicId } from '../../platform/ids/public-id.rule';

/** Items of each list of a scope. */
const MAX_SCOPE_ITEMS = 1000;

/** One of a list of labels. */
const TAG = /^[a-z0-9][a-z0-9._:/-]{0,49}$/i;

/** Endpoints that a client means: all, or the union of what the lists name. `problemsOfScope` says which of them go together. */
export class EndpointScopeDto {
  @ApiPropertyOptional({ description: 'Everything that the organization has; without any of the lists.', enum: [true] })
  @Optional()
  @Equals(true)
  all?: true;

  @ApiPropertyOptional({ type: [String], description: 'Websites: all their endpoints.', maxItems: MAX_SCOPE_ITEMS })
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
    description: 'Tags of endpoints or their websites. They need not exist yet.',
    example: ['production'],
    maxItems: MAX_SCOPE_ITEMS,
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SCOPE_ITEMS)
  @IsString({ each: true })
  @Matches(TAG, {
    each: true,
    message: 'each tag must have 1 to 50 letters, digits and . _ : / -, beginning with a letter or digit',
  })
  tags?: string[];
}
