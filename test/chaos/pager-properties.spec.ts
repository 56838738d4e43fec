import { at, delivery, GOOD } from './good-history';
import type { Delivery, History, Page } from './history';
import { openKeys, pagerProperties } from './pager-properties';

const page = (action: Page['action'], second: number, mode: Page['mode'] = 'ok', key = 'p1-1'): Page => ({
  at: at(second),
  mode,
  key,
  action,
});

const of = (kind: 'triggered' | 'resolved', more: Partial<Delivery> = {}): Delivery =>
  delivery(`ev_${kind}`, kind, { alert: 'p1', ...more });

/** One episode whose start and end both reached the pager, and one that is still open. */
const PAGED: History = {
  ...GOOD,
  pagerDeliveries: [of('triggered'), of('resolved'), of('triggered', { episodeNo: 2, id: 'ev_3' })],
  pages: [page('trigger', 11, 'hang'), page('trigger', 15), page('resolve', 42), page('trigger', 50, 'ok', 'p1-2')],
  triggeredPagers: new Set(['p1']),
};

const broken = (changes: Partial<History>): string[] => pagerProperties({ ...PAGED, ...changes });
const OVER = { pagerDeliveries: [of('triggered'), of('resolved')], triggeredPagers: new Set<string>() };

describe('the properties of a pager in a chaos run', () => {
  it('finds nothing broken in a correct history', () => {
    expect(broken({})).toEqual([]);
    expect(openKeys(PAGED.pages)).toEqual(new Set(['p1-2']));
  });

  it('finds a key that stays open after its episode, also if it is unknown whether the key was opened', () => {
    const pagerDeliveries = [of('triggered'), of('resolved', { state: 'superseded' })];
    for (const pages of [
      [page('trigger', 11)],
      [page('trigger', 11), page('resolve', 42), page('trigger', 43, 'reset')],
    ])
      expect(broken({ ...OVER, pagerDeliveries, pages })).toEqual(['open at the pager for ever: p1-1']);
    expect(broken({ ...OVER, pages: [page('trigger', 11), page('resolve', 42, 'hang')] })).toContain(
      'open at the pager for ever: p1-1',
    );
  });

  it('finds an open episode without an open page', () => {
    expect(broken({ pages: PAGED.pages.slice(0, 3) })).toContain(
      'nobody is paged: triggered 2 of p1 (ev_3), which is open',
    );
    expect(broken({ triggeredPagers: new Set(['p2']) })).toEqual(['nobody is paged: p2 is triggered without an event']);
  });

  it('finds an event that the pager never received, and a message that belongs to no event', () => {
    const pages = [...PAGED.pages, page('trigger', 55, 'ok', 'p9-1')];
    expect(broken({ pages })).toEqual(['invented page: no event has the key p9-1']);
    expect(broken({ ...OVER, pages: [page('trigger', 11, 'error')] })).toEqual([
      'lost page: triggered 1 of p1 (ev_triggered) is delivered, and the pager never accepted it',
      'lost page: resolved 1 of p1 (ev_resolved) is delivered, and the pager never accepted it',
    ]);
    expect(broken({ ...OVER, pagerDeliveries: [of('triggered', { state: 'failed' })], pages: [] })).toEqual([
      'undelivered page: triggered 1 of p1 (ev_triggered) is failed',
    ]);
  });

  it('allows the omission of a trigger together with its resolve, and no other omission', () => {
    const left = { state: 'superseded', detail: 'resolved_before_sent' };
    const pagerDeliveries = [of('triggered', left), of('resolved', left)];
    expect(broken({ ...OVER, pagerDeliveries, pages: [page('trigger', 11, 'error')] })).toEqual([]);
    expect(broken({ ...OVER, pagerDeliveries: [of('triggered', left)], pages: [] })).toEqual([
      'dropped page: triggered 1 of p1 (ev_triggered) is superseded resolved_before_sent',
    ]);
  });
});
