import { get } from '../../api/client';
import type { Incident } from '../../api/types';
import { downText, titleOf } from '../../logic/incident';
import { useLoad } from '../../state/load';
import { openIncidents } from '../../state/incidents';
import { Icon } from '../icons';
import { PublicMark, SaidPill } from './incident-pill';
import '../../styles/incident.css';

/** Links an endpoint to its incident, and shows the incident's status. */
export function IncidentLink({ id }: { id: string }) {
  const known = openIncidents.value?.find((each) => each.id === id);
  const read = useLoad(`incident/${id}/${known !== undefined}`, (signal) =>
    known ? Promise.resolve(known) : get<Incident>(`/api/v1/incidents/${id}`, signal),
  );
  const incident = known ?? read.data.value;
  if (!incident) return null;
  const facts = [incident.endpoint_count > 1 ? downText(incident) : ''].filter((fact) => fact !== '');
  return (
    <p class="notice quiet incident-link">
      <Icon name="alert" />
      <span>
        <a href={`#/incidents/${id}`}>Incident #{incident.number}</a>: {[titleOf(incident), ...facts].join(' · ')}
      </span>
      {incident.status && <SaidPill status={incident.status} />}
      <PublicMark of={incident} />
    </p>
  );
}
