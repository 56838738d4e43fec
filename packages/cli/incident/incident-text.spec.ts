import { incidentLines, incidentTable, type ShownIncident } from './incident-text';
import { painter } from '../uptime/style';

const plain = painter(false);
const INCIDENT: ShownIncident = {
  number: 12,
  kind: 'detected',
  severity: 'down',
  state: 'open',
  status: 'identified',
  title: null,
  summary: '3 endpoints at 192.0.2.1 are down: connection refused',
  started_at: 'T1',
  ended_at: null,
  public: true,
  endpoint_count: 3,
  open_count: 2,
  acknowledgement: { by: 'On call', at: 'T2', note: '', until: null },
  endpoints: [
    {
      endpoint_id: 'ep_1',
      endpoint_name: 'Check\u001b[31mout',
      website_id: 'ws_1',
      website_name: 'Shop',
      started_at: 'T1',
      ended_at: null,
      error: { code: 'connection_refused', message: 'refused' },
      suppressed: false,
      outages: [],
      outage_count: 1,
      downtime_seconds: 0,
    },
    {
      endpoint_id: 'ep_2',
      endpoint_name: 'Login',
      website_id: 'ws_1',
      website_name: 'Shop',
      started_at: 'T1',
      ended_at: 'T3',
      error: null,
      suppressed: true,
      outages: [],
      outage_count: 1,
      downtime_seconds: 0,
    },
  ],
  updates: [
    {
      id: 'iu_1',
      at: 'T4',
      by: 'On call',
      status: 'identified',
      text: 'It lost power.\n\nWe wait.\u0007',
      public: true,
      automatic: false,
      edited_at: null,
    },
    {
      id: 'iu_2',
      at: 'T3',
      by: null,
      status: 'investigating',
      text: '',
      public: false,
      automatic: true,
      edited_at: null,
    },
  ],
};

describe('an incident in a terminal', () => {
  it('shows a sentence, the endpoints, and the updates, and lets no text from users control the terminal', () => {
    expect(incidentLines(INCIDENT, plain)).toEqual([
      '#12  down  since T1, 2 of 3 failing, identified, public, acknowledged by On call',
      '  3 endpoints at 192.0.2.1 are down: connection refused',
      '           WEBSITE  NAME           SINCE  UNTIL  ERROR',
      'failing    Shop     Check [31mout  T1     -      connection_refused',
      'recovered  Shop     Login          T1     T3     -',
      '  and 1 more',
      'T4  On call, identified, public',
      '  It lost power.',
      '  We wait.',
      'T3  automatic, investigating',
    ]);
  });

  it('is one line in a list, without a count if it was created manually', () => {
    const manual = { ...INCIDENT, number: 9, kind: 'manual' as const, severity: null, title: 'Payments are slow' };
    const over = { ...INCIDENT, number: 8, state: 'ended' as const, status: null };
    expect(incidentTable([INCIDENT, manual, over], plain)).toEqual([
      'NUMBER  STATE  SINCE  FAILING  STATUS      SUMMARY',
      '#12     down   T1     2 of 3   identified  3 endpoints at 192.0.2.1 are down: connection refused',
      '#9      open   T1     manual   identified  Payments are slow',
      '#8      ended  T1     2 of 3   -           3 endpoints at 192.0.2.1 are down: connection refused',
    ]);
  });
});
