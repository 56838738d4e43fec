import { painter } from '../uptime/style';
import { type ListedProbe, probeTable } from './probe-text';

const FRA: ListedProbe = {
  status: 'online',
  key: 'fra',
  shared: false,
  name: 'Frank\u001b[31mfurt',
  region: 'eu',
  version: '0.2.0',
  last_seen_at: 'T1',
  endpoint_count: 90,
};

describe('a list of probes in a terminal', () => {
  it('names each by its location, and nothing of others steers the terminal', () => {
    const shared = { ...FRA, status: 'new', shared: true, region: '', version: null, last_seen_at: null } as const;
    expect(probeTable([FRA, { ...shared, name: 'Ours', endpoint_count: 0 }], painter(false))).toEqual([
      'STATUS  LOCATION    REGION  VERSION  LAST SEEN  ENDPOINTS  NAME',
      'online  fra         eu      0.2.0    T1         90         Frank [31mfurt',
      'new     shared/fra  -       -        -          0          Ours',
    ]);
  });
});
