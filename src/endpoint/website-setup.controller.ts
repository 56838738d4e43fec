import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { NewEndpointQuery } from './endpoint.dto';
import { CreatedWebsiteView, CreateWebsiteDto } from './website-setup.dto';
import { WebsiteSetupService } from './website-setup.service';

/**
 * This controller creates websites because a website may be created together with endpoints, and the website module
 * doesn't know endpoints.
 */
@ApiTags('Websites')
@Controller('api/v1/websites')
export class WebsiteSetupController {
  constructor(private readonly setup: WebsiteSetupService) {}

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createWebsite',
    summary: 'Create a website',
    description:
      'Creates a website and, optionally, its first endpoints. Either everything is created or nothing. The first checks run immediately. Each endpoint gets an alert rule for each default contact; use `?alerts=none` to create them without alerts. You can add more endpoints later.',
    returns: { created: CreatedWebsiteView, at: '/api/v1/websites', ...WITH_ETAG, description: 'The new website.' },
    problems: ['quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(WebsiteSetupService, (setup, fields: Partial<CreateWebsiteDto>, { caller }) =>
    setup.findingsIn(caller, fields),
  )
  create(
    @CurrentCaller() caller: Caller,
    @Query() query: NewEndpointQuery,
    @Body() dto: CreateWebsiteDto,
  ): Promise<CreatedWebsiteView> {
    return this.setup.create(caller, dto, query);
  }
}
