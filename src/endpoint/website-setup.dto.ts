import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMinSize } from 'class-validator';
import { ObjectList, Optional } from '../platform/http/validators';
import { NewWebsiteDto, WebsiteView } from '../website/website.dto';
import { CreateEndpointDto, EndpointView } from './endpoint.dto';

/** The maximum number of endpoints that one request creates together with a website. Clients add more one by one. */
const MOST_ENDPOINTS = 50;

/** Don't rename: the class names appear in the public API document. */
export class CreateWebsiteDto extends NewWebsiteDto {
  @ApiPropertyOptional({
    type: [CreateEndpointDto],
    minItems: 1,
    maxItems: MOST_ENDPOINTS,
    description:
      'The first endpoints of the website, with the fields of “Create an endpoint”. The website is created with all of them or not at all.',
  })
  @Optional()
  @ObjectList(() => CreateEndpointDto, MOST_ENDPOINTS)
  @ArrayMinSize(1, {
    message: 'endpoints must have at least one item; leave the field out for a website without endpoints',
  })
  endpoints?: CreateEndpointDto[];
}

export class CreatedWebsiteView extends WebsiteView {
  @ApiPropertyOptional({
    type: [EndpointView],
    description: 'The new endpoints, in the order in which you sent them. Absent if you sent none.',
  })
  endpoints?: EndpointView[];
}
