import { ApiProperty } from '@nestjs/swagger';
import { ApiKeyView } from '../api-key/api-key.dto';

export class CreatedInvitationView extends ApiKeyView {
  @ApiProperty({
    description:
      'The token of the link `<address of the dashboard>/#/sign-in/<token>`, which signs in once. Shown this one time.',
    example: 'rV8…',
  })
  sign_in_token!: string;
}
