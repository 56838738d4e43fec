import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { type DeclaredValues, DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

export class MatrixConfig {
  @ApiProperty({
    description: 'The base URL of the homeserver.',
    example: 'https://matrix.example.com',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  homeserver!: string;

  @ApiProperty({
    description: 'An access token of the account that posts. The account must be in the room.',
    example: 'syt_XXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 500,
  })
  @field.Required(field.text({ max: 500, pattern: /^[\x21-\x7e]+$/, form: 'an access token' }))
  @field.Secret()
  access_token!: string;

  @ApiProperty({
    title: 'Room',
    description: 'The internal ID of the room, not its alias.',
    example: '!qporfwt:example.com',
    maxLength: 255,
  })
  @field.Required(field.text({ max: 255, pattern: /^!\S+$/, form: 'a room ID such as !room:example.com' }))
  room_id!: string;
}

/**
 * Matrix (https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid). The ID of
 * the notification is the transaction ID, so a repeat is not shown twice. An event has at most 65,536 bytes. A recovery
 * is a notice, which makes no sound.
 */
@Channel('matrix')
@Injectable()
export class MatrixChannel extends DeclaredChannel<MatrixConfig> {
  readonly audience = 'chat';
  readonly configClass = MatrixConfig;
  protected readonly service = 'Matrix';
  protected readonly limits = { text: 8000 };

  destination({ homeserver, room_id }: MatrixConfig): string[] {
    return [homeserver, room_id];
  }

  protected request({ homeserver, access_token, room_id }: MatrixConfig, { id }: DeclaredValues): DeclaredRequest {
    const room = `${withoutSlash(homeserver)}/_matrix/client/v3/rooms/${encodeURIComponent(room_id)}`;
    return {
      method: 'PUT',
      url: `${room}/send/m.room.message/${encodeURIComponent(id)}`,
      headers: { authorization: `Bearer ${access_token}` },
      body: {
        msgtype: { $switch: 'state', down: 'm.text', degraded: 'm.text', default: 'm.notice' },
        body: '{{text}}',
        'm.mentions': {},
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { event_id, error, errcode, retry_after_ms: wait } = json;
    return {
      delivered: status === 200 && typeof event_id === 'string',
      detail: error ?? errcode,
      ...(typeof wait === 'number' ? { retryAfterSeconds: wait / 1000 } : {}),
    };
  }
}
