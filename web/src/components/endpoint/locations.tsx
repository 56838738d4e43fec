import type { Endpoint } from '../../api/types';
import { duration, time } from '../../logic/format';
import {
  HERE,
  type LocationView,
  locationState,
  locationText,
  quorumText,
  sinceOf,
  voteText,
} from '../../logic/location';
import { LOCAL } from '../../logic/probe';
import { now } from '../../state/clock';
import { may } from '../../state/session';
import { Button, Section, Table } from '../layout';
import { StatusPill } from '../status';

interface Props {
  endpoint: Endpoint;
  /** Runs a check from a location. */
  onCheck: (location: string) => Promise<void>;
}

const nameOf = ({ location, name }: LocationView): string => (location === LOCAL ? HERE : name);

const ageOf = (at: string | null): string => (at === null ? '–' : duration((now.value - Date.parse(at)) / 1000));

/**
 * Shows what each location sees for an endpoint, and whether it counts. Renders nothing if only the service checks it.
 */
export function Locations({ endpoint, onCheck }: Props) {
  const { by_location: locations, quorum } = endpoint;
  if (locations === null) return null;
  const agree = quorumText(quorum, locations);
  return (
    <Section title="Locations">
      {agree !== '' && <p class="muted small lead-in">{agree}</p>}
      <Table
        label="Locations"
        head={['Location', 'Status', 'Since', 'Last check', 'Vote', 'Details', '']}
        rows={locations.map((each) => [
          <>
            <strong>{nameOf(each)}</strong>
            {each.name !== each.location && <p class="muted small">{each.location}</p>}
          </>,
          <StatusPill {...locationState(each)} />,
          ageOf(sinceOf(each)),
          each.last_checked_at === null ? 'never' : time(each.last_checked_at, now.value),
          voteText(each),
          locationText(each),
          may.write() && endpoint.enabled && (
            <Button class="plain" label={`Check now from ${nameOf(each)}`} onClick={() => onCheck(each.location)}>
              Check now
            </Button>
          ),
        ])}
      />
    </Section>
  );
}
