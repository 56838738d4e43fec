import type { Delivery } from '../../api/types';
import { kindText } from '../../logic/delivery-text';
import { Icon, type IconName } from '../icons';
import { Shape } from '../status';

const ICONS: Partial<Record<Delivery['kind'], IconName>> = {
  acknowledged: 'check',
  reminder: 'bell',
  test: 'out',
  contact_failing: 'bell',
  expiry: 'bell',
};

/** Shows what a message reports, as a shape and a word. */
export const DeliveryKind = ({ of }: { of: Pick<Delivery, 'kind' | 'ordinal'> }) => {
  const icon = ICONS[of.kind];
  return (
    <span class="kind">
      {icon ? <Icon name={icon} size={12} /> : <Shape status={of.kind === 'triggered' ? 'down' : 'up'} />}
      {kindText(of)}
    </span>
  );
};
