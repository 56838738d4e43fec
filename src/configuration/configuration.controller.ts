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
    'A configuration document in YAML 1.2 or JSON, of at most 8 MiB and 5,000 resources. Resources are identified by their keys. Absent fields keep their current values; `null` sets the default.',
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

/** The cost toward the rate limit, because planning reads and compares thousands of resources. */
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
    summary: 'Preview the changes of a configuration document',
    description:
      'Compares the document with the configuration of your organization. Nothing is written, not even to the audit log. To apply exactly this plan, send the `ETag` of the plan as `If-Match`.',
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
      'Changes your organization to match the document, in one transaction: either everything is applied or nothing. Resources that already match the document are not changed. With `prune=true`, the resources that the owner declared earlier and no longer declares are deleted. Resources that other owners declared, or that no owner declared, are never deleted.',
    returns: { ok: ConfigurationPlanView, description: 'The changes that were made.', ...WITH_ETAG },
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
