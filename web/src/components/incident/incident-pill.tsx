import type { Incident, IncidentStatus } from '../../api/types';
import { statusText } from '../../logic/incident';
import { Icon } from '../icons';

/** What was said of an incident, as word and colour. */
export const SaidPill = ({ status }: { status: IncidentStatus }) => (
  <span class={`said ${status}`}>{statusText(status)}</span>
);

/** Says that customers see it. */
export const PublicMark = ({ of }: { of: Pick<Incident, 'public'> }) =>
  of.public ? (
    <span class="public" title="Customers see this">
      <Icon name="globe" size={14} />
      <span class="sr">Public</span>
    </span>
  ) : null;
