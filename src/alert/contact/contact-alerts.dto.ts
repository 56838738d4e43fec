import { ApiProperty } from '@nestjs/swagger';
import { AlertDefaults } from '../../alert-rule/alert-rule';
import { EndpointScopeDto } from '../../endpoint/search/scope.dto';
import { Nested } from '../../platform/http/validators';

/** Fields that are left out default to the `alert_defaults` of the contact. */
export class AddContactAlertsDto extends AlertDefaults {
  @ApiProperty({
    description: 'The endpoints that get an alert: all, or those that any of the lists names.',
    example: { tags: ['production'] },
  })
  @Nested(() => EndpointScopeDto)
  scope!: EndpointScopeDto;
}

export class AddedContactAlertsView {
  @ApiProperty({ type: 'integer', description: 'Alerts that were made.', example: 12 })
  created!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Endpoints of the scope that had an alert through the contact already.',
    example: 3,
  })
  existing!: number;
}
