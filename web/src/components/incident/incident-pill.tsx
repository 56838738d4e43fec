import type { Incident, IncidentStatus } from '../../api/types';
import { statusText } from '../../logic/incident';
import { Icon } from '../icons';

/** Shows an incident's public status as a word and a color. */
export const SaidPill = ({ status }: { status: IncidentStatus }) => (
  <span class={`said ${status}`}>{statusText(status)}</span>
);

/** Marks an incident that customers can see. */
export const PublicMark = ({ of }: { of: Pick<Incident, 'public'> }) =>
  of.public ? (
    <span class="public" title="Customers see this">
      <Icon name="globe" size={14} />
      <span class="sr">Public</span>
    </span>
  ) : null;
