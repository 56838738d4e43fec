import { ApiProperty } from '@nestjs/swagger';
import { AlertDefaults } from '../../alert-rule/alert-rule';
import { EndpointScopeDto } from '../../endpoint/search/scope.dto';
import { Nested } from '../../platform/http/validators';

/** Fields that are left out default to the contact's `alert_defaults`. */
export class AddContactAlertsDto extends AlertDefaults {
  @ApiProperty({
    description: 'The endpoints that get an alert rule: all endpoints, or the endpoints that match any of the lists.',
    example: { tags: ['production'] },
  })
  @Nested(() => EndpointScopeDto)
  scope!: EndpointScopeDto;
}

export class AddedContactAlertsView {
  @ApiProperty({ type: 'integer', description: 'The number of alert rules created.', example: 12 })
  created!: number;

  @ApiProperty({
    type: 'integer',
    description: 'The number of endpoints in the scope that already had an alert rule for this contact.',
    example: 3,
  })
  existing!: number;
}
