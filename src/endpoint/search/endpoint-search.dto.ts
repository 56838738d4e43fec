import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { PageQuery, QueryInteger } from '../../platform/http/page';
import { IsName, Optional } from '../../platform/http/validators';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { KEY } from '../../platform/http/body/resource-key';
import { TagQuery } from '../../website/tags';
import { LocationQuery } from '../locations/location.dto';
import { ENDPOINT_STATUSES, type EndpointStatus } from '../endpoint.dto';

/** The query of the endpoint search. An endpoint must match all given filters. */
export class EndpointSearchQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Return only endpoints with this status.', enum: ENDPOINT_STATUSES })
  @Optional()
  @IsIn(ENDPOINT_STATUSES)
  status?: EndpointStatus;

  @ApiPropertyOptional({
    description: 'Return only endpoints of this type, in exact upper case.',
    example: 'HTTPS',
    maxLength: 32,
  })
  @Optional()
  @IsString()
  @MaxLength(32)
  type?: string;

  @TagQuery('Return only endpoints that have this tag, or whose website has it. Not case-sensitive.')
  tag?: string;

  @ApiPropertyOptional({
    description: 'Return only endpoints with this `key`: at most one for each website.',
    example: 'checkout',
    pattern: KEY.source,
  })
  @Optional()
  @Matches(KEY, { message: 'key must be 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit' })
  key?: string;

  @ApiPropertyOptional({
    description: 'Return only endpoints whose certificate expires within this number of days, or has expired.',
    example: 30,
    minimum: 0,
    maximum: 3650,
  })
  @Optional()
  @QueryInteger()
  @Min(0)
  @Max(3650)
  certificate_within?: number;

  @LocationQuery()
  location?: string;

  @ApiPropertyOptional({
    description: 'Return only endpoints of this website.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({
    description:
      'Return only endpoints whose name or URL contains this string. Not case-sensitive. For read keys, only the part of a URL before its query is searched.',
    example: 'checkout',
    minLength: 1,
    maxLength: 100,
  })
  @Optional()
  @IsName(100)
  q?: string;
}
