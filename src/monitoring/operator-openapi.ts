import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { OverloadEvent } from './operator-event';

const message = (operationId: string, summary: string, description: string) => ({
  post: {
    operationId,
    summary,
    description:
      `${description} Sent to \`OPERATOR_WEBHOOK_URL\`, with at most five attempts within a minute. Requests are sent ` +
      'in order and are not signed, so keep the URL secret.',
    tags: ['Webhooks'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: getSchemaPath(OverloadEvent) } } },
    },
    responses: { '2XX': { description: 'Received.' }, default: { description: 'The request is sent again.' } },
  },
});

/** Adds the operator's events to the API reference. */
@Injectable()
export class OperatorOpenApi implements OnModuleInit {
  constructor(private readonly parts: OpenApiParts) {}

  onModuleInit(): void {
    this.parts.add([OverloadEvent], (document) => {
      document.webhooks = {
        ...document.webhooks,
        'overload.began': message(
          'overloadBegan',
          'An overload started',
          'A process cannot run all checks that are due.',
        ),
        'overload.ended': message(
          'overloadEnded',
          'An overload ended',
          'The process can run all checks again, or it was stopped.',
        ),
      };
    });
  }
}
