import { Controller, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { SentText, TextBody } from '../platform/http/body/text-body';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { ConfigurationService } from './configuration.service';
import { CONFIGURATION_PATH, DOCUMENT_BODY } from './document/document';
import { ConfigurationPlanView, PlanQuery } from './plan/plan.dto';

const BODY = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'A configuration document, YAML 1.2 or JSON, at most 8 MiB and 5,000 resources. Resources are recognised by their keys; fields that are absent keep their value, `null` is the default.',
  example: {
    version: 1,
    owner: 'shop-repo',
    websites: [
      {
        key: 'shop',
        name: 'Shop',
        url: 'https://shop.example.com',
        endpoints: [
          { key: 'front', name: 'Front page', type: 'HTTPS', url: 'https://shop.example.com/', interval: 30 },
        ],
      },
    ],
  },
};

/** The cost for the rate limit: planning reads and compares thousands of resources. */
const COST = 20;

@ApiTags('Configuration')
@Controller(CONFIGURATION_PATH)
export class ConfigurationController {
  constructor(private readonly configuration: ConfigurationService) {}

  @Route('POST', 'plan', {
    access: 'read',
    cost: () => COST,
    idempotencyKey: { refused: 'Nothing is stored.' },
    operationId: 'planConfiguration',
    summary: 'Say what a configuration document would change',
    description:
      'Compares the document with what your organization has. Nothing is written, not even the audit log. The `ETag` of the plan, sent as `If-Match`, makes sure that exactly this plan is applied.',
    returns: { ok: ConfigurationPlanView, description: 'The plan.', ...WITH_ETAG },
    problems: [
      'invalid_query',
      'validation_failed',
      'malformed_document',
      'target_not_allowed',
      'conflict',
      'quota_exceeded',
    ],
  })
  @TextBody(DOCUMENT_BODY)
  @ApiConsumes(...DOCUMENT_BODY.types)
  @ApiBody({ schema: BODY, required: true })
  plan(
    @CurrentCaller() caller: Caller,
    @Query() query: PlanQuery,
    @SentText() text: string,
    @Req() request: Request,
  ): Promise<ConfigurationPlanView> {
    return this.configuration.plan(caller, { text, query, host: request.headers.host });
  }

  @Route('PUT', '', {
    access: 'write',
    cost: () => COST,
    ifMatch: 'honoured',
    operationId: 'applyConfiguration',
    summary: 'Apply a configuration document',
    description:
      'Makes your organization what the document declares, in one transaction: all of it or nothing. What is as declared is not touched. With `prune=true` what the owner declared before and no longer declares is deleted; what others declared, or nobody did, never is.',
    returns: { ok: ConfigurationPlanView, description: 'What was changed.', ...WITH_ETAG },
    problems: [
      'invalid_query',
      'validation_failed',
      'malformed_document',
      'target_not_allowed',
      'not_found',
      'conflict',
      'quota_exceeded',
    ],
  })
  @TextBody(DOCUMENT_BODY)
  @ApiConsumes(...DOCUMENT_BODY.types)
  @ApiBody({ schema: BODY, required: true })
  apply(
    @CurrentCaller() caller: Caller,
    @Query() query: PlanQuery,
    @SentText() text: string,
    @Req() request: Request,
  ): Promise<ConfigurationPlanView> {
    return this.configuration.apply(caller, { text, query, host: request.headers.host });
  }
}
