import { ApiProperty, PickType } from '@nestjs/swagger';
import { PREVIEWED_KINDS } from '../channel/kind/examples';
import { CreateContactDto } from './contact.dto';

/** The config that a preview renders. */
export class PreviewContactDto extends PickType(CreateContactDto, ['type', 'config']) {}

/** A message as the receiver would get it. */
export class PreviewedMessageView {
  @ApiProperty({ description: 'The kind of the message.', enum: PREVIEWED_KINDS, example: 'triggered' })
  kind!: string;

  @ApiProperty({ description: 'The request method, or `SMTP` for an email.', example: 'POST' })
  method!: string;

  @ApiProperty({ description: 'The URL of the request.', example: 'https://hooks.example.com/uptime' })
  url!: string;

  @ApiProperty({
    description: 'The headers of the request or the email.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'application/json; charset=utf-8' },
  })
  headers!: Record<string, string>;

  @ApiProperty({ description: 'The body of the request or the email.', example: '{"text":"Checkout API is down"}' })
  body!: string;
}

export class ContactPreviewView {
  @ApiProperty({
    type: [PreviewedMessageView],
    description:
      'One message for each kind that the receiver gets. Empty if the channel of an extension opens its own connections.',
  })
  messages!: PreviewedMessageView[];
}
