import { all } from '../../api/client';
import type { Probe } from '../../api/types';
import { HERE } from '../../logic/location';
import { LOCAL, locationOf } from '../../logic/probe';
import { useLoad } from '../../state/load';
import { setQuery } from '../../state/router';
import { Select } from '../form/field';

/** Selects the location whose endpoints are shown. */
export function LocationFilter({ location }: { location: string | null }) {
  const probes = useLoad('probes', (signal) => all<Probe>('/api/v1/probes', signal)).data.value ?? [];
  const known = [LOCAL, ...probes.map(locationOf)];
  return (
    <Select
      label="Location"
      value={location ?? ''}
      set={(next) => setQuery({ location: next })}
      options={[
        ['', 'All locations'],
        [LOCAL, `From ${HERE.toLowerCase()}`],
        ...probes.map((each): [string, string] => [locationOf(each), `From ${each.name}`]),
        ...(location !== null && !known.includes(location) ? [location] : []),
      ]}
    />
  );
}
