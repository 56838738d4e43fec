import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const API_URL = 'https://api.ilert.com';

export class IlertConfig {
  @ApiProperty({
    description: 'The integration key of an alert source of the type API.',
    example: 'il1api0000000000000000000000000000000000',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[A-Za-z0-9_-]+$/, form: 'an integration key' }))
  @field.Secret()
  integration_key!: string;

  @ApiPropertyOptional({
    title: 'API server',
    description: 'The base URL of a compatible server.',
    example: API_URL,
    default: API_URL,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  api_url?: string;
}

/**
 * Events of ilert (https://docs.ilert.com/developer-docs/rest-api/api-reference/events), answered with 202. `alertKey`
 * connects a recovery or an acknowledgement to its alert and makes repeats harmless. `LOW` escalates to no one.
 */
@Channel('ilert')
@Injectable()
export class IlertChannel extends DeclaredChannel<IlertConfig> {
  readonly audience = 'pager';
  readonly acknowledges = true;
  readonly configClass = IlertConfig;
  protected readonly service = 'ilert';
  protected readonly limits = { message: 250, text: 10_000 };

  destination({ api_url = API_URL, integration_key }: IlertConfig): string[] {
    return [api_url, integration_key];
  }

  protected request({ api_url = API_URL }: IlertConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(api_url)}/api/events`,
      body: {
        integrationKey: '{{config.integration_key}}',
        eventType: { $switch: 'paging', resolve: 'RESOLVE', acknowledge: 'ACCEPT', default: 'ALERT' },
        summary: '{{message}}',
        details: '{{text}}',
        alertKey: '{{key}}',
        priority: { $switch: 'state', down: 'HIGH', default: 'LOW' },
        links: {
          $switch: 'page_url',
          '': '',
          default: [{ href: '{{page_url}}', text: 'Details' }],
        },
      },
    };
  }
}
