import { overloadEvent, type OverloadNews } from './operator-event';

const STATE = {
  beganAt: 5000,
  lastedMs: 92_400,
  ratio: 1.84,
  skippedPerSecond: 839.6,
  skipped: 77_000,
  lost: 0,
  waiting: 310,
};
const ORIGIN = {
  at: new Date('2026-11-23T14:03:32Z'),
  since: new Date('2026-11-23T14:02:00Z'),
  host: 'monitor-1',
  instance: 3,
};

describe('the event that the operator’s own alerting gets', () => {
  it('says when an overload begins: by how much, what is skipped, and that alerts still come', () => {
    expect(overloadEvent('began', STATE, ORIGIN)).toEqual({
      type: 'overload.began',
      at: '2026-11-23T14:03:32.000Z',
      since: '2026-11-23T14:02:00.000Z',
      host: 'monitor-1',
      instance: 3,
      ratio: 1.8,
      skipped_per_second: 839.6,
      slots_skipped: 77_000,
      results_lost: 0,
      results_waiting: 310,
      text: 'The uptime monitor on monitor-1 is overloaded: 1.8 times as many checks are due as it can run, and it skips 840 checks a second. Alerts are still sent.',
    });
  });

  it.each<[OverloadNews, string]>([
    ['ended', 'is no longer overloaded after 92 s: 77000 checks were skipped, 0 results were lost.'],
    ['stopped', 'was stopped while overloaded, after 92 s: 77000 checks were skipped, 0 results were lost.'],
  ])('closes it when it has %s, with what it came to', (news, text) => {
    expect(overloadEvent(news, STATE, ORIGIN)).toMatchObject({
      type: 'overload.ended',
      ratio: 1,
      skipped_per_second: 0,
      slots_skipped: 77_000,
      text: `The uptime monitor on monitor-1 ${text}`,
    });
  });
});
