import { costOfAuditLog, costOfChecks, costOfLatency, costOfList, costOfUptime } from './cost';

const NOW = '2026-11-20T00:00:00.000Z';

describe('the cost of a request in tokens', () => {
  it.each([
    ['a short list', costOfList(1000), { limit: '10' }, 1],
    ['a list that does not say how long', costOfList(1000), {}, 4],
    ['a list with a wrong limit', costOfList(50), { limit: 'x' }, 1],
    ['checks', costOfChecks, {}, 2],
    ['many checks', costOfChecks, { limit: '1000' }, 11],
    ['checks with one outcome', costOfChecks, { outcome: 'down' }, 12],
    ['checks of one location', costOfChecks, { location: 'fra' }, 12],
    ['the uptime', costOfUptime, {}, 4],
    ['the uptime of one location', costOfUptime, { location: 'fra' }, 14],
    ['the audit log', costOfAuditLog, {}, 1],
    ['the audit log of one resource', costOfAuditLog, { resource_id: 'ws_1' }, 11],
    ['the latency of a day', costOfLatency, {}, 10],
    ['the latency of a week by minutes', costOfLatency, { from: '2026-11-13', to: NOW, step: '60' }, 178],
    ['the latency of a week by hours', costOfLatency, { from: '2026-11-13', to: NOW, step: '3600' }, 4],
    ['the latency of a year', costOfLatency, { from: '2025-11-20', to: NOW }, 4],
    ['the latency of one location in a year', costOfLatency, { from: '2025-11-20', to: NOW, location: 'fra' }, 14],
    ['the latency of an empty range', costOfLatency, { from: NOW, to: '2026-11-13' }, 10],
  ])('is right for %s', (_, costOf, query, cost) => {
    expect(costOf({ query }, Date.parse(NOW))).toBe(cost);
  });
});
